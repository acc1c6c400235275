package clientgo

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	protobufcodec "k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"pgregory.net/rapid"
)

// TestCodecNamespaces: the codec reads a namespace with the finalizers of its metadata
// and spec, in protobuf and JSON, alone and in pages. A truncated or damaged message
// never gains a finalizer.
func TestCodecNamespaces(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	proto := protobufcodec.NewSerializer(scheme, scheme)
	_, info := protobuf(t)
	ours, other := info.Serializer, readerOfJSON(t)
	rapid.Check(t, func(t *rapid.T) {
		var items []corev1.Namespace
		var want []any
		for range rapid.IntRange(1, 3).Draw(t, "items") {
			m := drawMeta(t)
			m.ManagedFields = nil // the drawn bytes are not valid JSON, and the year is not either
			if m.DeletionTimestamp != nil {
				m.DeletionTimestamp = &metav1.Time{Time: time.Unix(1e9, 0)}
			}
			m.CreationTimestamp = metav1.Time{}
			o := corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: m.ObjectMeta}
			spec := rapid.SliceOfN(rapid.SampledFrom([]string{"kubernetes", "x.io/other"}), 0, 2).Draw(t, "spec")
			for _, f := range spec {
				o.Spec.Finalizers = append(o.Spec.Finalizers, corev1.FinalizerName(f))
			}
			o.Status.Phase = corev1.NamespaceActive
			m.Finalizers = append(slices.Clone(m.Finalizers), withSpecPrefix(spec)...)
			items, want = append(items, o), append(want, relevant(m))
		}
		list := &corev1.NamespaceList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "NamespaceList"}, Items: items}
		list.ResourceVersion, list.Continue = "12", "token"
		var one, page bytes.Buffer
		if err := proto.Encode(&items[0], &one); err != nil {
			t.Fatal(err)
		}
		if err := proto.Encode(list, &page); err != nil {
			t.Fatal(err)
		}
		inJSON, _ := json.Marshal(items[0])
		pageInJSON, _ := json.Marshal(list)
		for _, x := range []struct {
			by     runtime.Serializer
			data   []byte
			single bool
		}{{ours, one.Bytes(), true}, {ours, page.Bytes(), false}, {other, inJSON, true}, {other, pageInJSON, false}} {
			got, _, err := x.by.Decode(x.data, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if x.single && !reflect.DeepEqual(trim(got), want[0]) {
				t.Errorf("%+v\nwant\n%+v", trim(got), want[0])
			}
			if l, ok := got.(*metav1.PartialObjectMetadataList); !x.single && (!ok || l.ResourceVersion != "12" || l.Continue != "token" || len(l.Items) != len(items)) {
				t.Errorf("page %+v", got)
			} else if ok {
				for i := range l.Items {
					if !reflect.DeepEqual(relevant(l.Items[i]), want[i]) {
						t.Errorf("item %d: %+v\nwant\n%+v", i, l.Items[i], want[i])
					}
				}
			}
		}
		if m, _, err := ours.Decode(one.Bytes()[:rapid.IntRange(0, one.Len()-1).Draw(t, "length")], nil, nil); err == nil {
			if o, ok := m.(*meta); ok && len(o.Finalizers) > len(want[0].(meta).Finalizers) {
				t.Errorf("cut off, it has %q", o.Finalizers)
			}
		}
	})
}

func fields(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// readerOfJSON returns the JSON serializer of the codec.
func readerOfJSON(t *testing.T) runtime.Serializer {
	codecs := metainternal.Codecs.WithoutConversion()
	info, ok := runtime.SerializerInfoForMediaType(newMetadataCodec(codecs).SupportedMediaTypes(), runtime.ContentTypeJSON)
	if !ok {
		t.Fatal("no JSON")
	}
	return info.Serializer
}
