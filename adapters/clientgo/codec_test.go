package clientgo

import (
	"bytes"
	"io"
	"reflect"
	"testing"
	"time"

	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	restwatch "k8s.io/client-go/rest/watch"
	"pgregory.net/rapid"
)

// protobuf returns the protobuf serializers of client-go and of this package.
func protobuf(t interface{ Fatal(...any) }) (theirs, ours runtime.SerializerInfo) {
	codecs := metainternal.Codecs.WithoutConversion()
	a, ok := runtime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	b, also := runtime.SerializerInfoForMediaType(newMetadataCodec(codecs).SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	if !ok || !also {
		t.Fatal("no protobuf")
	}
	return a, b
}

func drawMeta(t *rapid.T) meta {
	text := rapid.StringMatching(`[a-z./-]{0,40}`)
	m := meta{}
	m.Name, m.Namespace, m.UID = text.Draw(t, "name"), text.Draw(t, "namespace"), types.UID(text.Draw(t, "uid"))
	m.ResourceVersion, m.Generation = text.Draw(t, "version"), rapid.Int64().Draw(t, "generation")
	m.GenerateName = text.Draw(t, "generateName")
	m.Labels = rapid.MapOf(text, text).Draw(t, "labels")
	m.Annotations = rapid.MapOf(rapid.OneOf(text, rapid.SampledFrom([]string{metav1.InitialEventsAnnotationKey, OwnersAnnotation, GraceAnnotation, OwnersAnnotation + "x"})), text).Draw(t, "annotations")
	if len(m.Annotations) == 0 {
		m.Annotations = nil // as an encoding has it
	}
	m.CreationTimestamp = metav1.NewTime(time.Unix(rapid.Int64Range(0, 1<<40).Draw(t, "created"), 0))
	if rapid.Bool().Draw(t, "deleting") {
		m.DeletionTimestamp = &m.CreationTimestamp
		m.DeletionGracePeriodSeconds = new(rapid.Int64().Draw(t, "grace"))
	}
	for range rapid.IntRange(0, 3).Draw(t, "owners") {
		r := ref(text.Draw(t, "apiVersion"), text.Draw(t, "kind"), text.Draw(t, "owner"), text.Draw(t, "ownerUID"))
		r.BlockOwnerDeletion = new(rapid.Bool().Draw(t, "block"))
		m.OwnerReferences = append(m.OwnerReferences, r)
	}
	m.Finalizers = rapid.SliceOfN(text, 0, 3).Draw(t, "finalizers")
	for range rapid.IntRange(0, 2).Draw(t, "managers") {
		fields := &metav1.FieldsV1{}
		if err := fields.UnmarshalJSON([]byte(text.Draw(t, "fields"))); err != nil {
			t.Fatal(err)
		}
		m.ManagedFields = append(m.ManagedFields, metav1.ManagedFieldsEntry{Manager: text.Draw(t, "manager"), FieldsV1: fields})
	}
	return m
}

// relevant returns the part of the metadata that the package uses.
func relevant(m meta) meta {
	m.TypeMeta, m.GenerateName, m.Labels, m.ManagedFields = metav1.TypeMeta{}, "", nil, nil
	m.CreationTimestamp = metav1.Time{}
	if m.Annotations != nil { // a patch has to know that there are some
		kept := map[string]string{}
		for _, name := range [...]string{metav1.InitialEventsAnnotationKey, OwnersAnnotation, GraceAnnotation} {
			if value, ok := m.Annotations[name]; ok {
				kept[name] = value
			}
		}
		m.Annotations = kept
	}
	if len(m.Finalizers) == 0 {
		m.Finalizers = nil
	}
	return m
}

// trim makes metadata comparable, of one object or of a page.
func trim(o runtime.Object) any {
	switch o := o.(type) {
	case *meta:
		return relevant(*o)
	case *metav1.PartialObjectMetadataList:
		items := []meta{}
		for _, m := range o.Items {
			items = append(items, relevant(m))
		}
		return []any{o.ListMeta, items}
	}
	return o
}

func encode(t interface{ Fatal(...any) }, o runtime.Object) []byte {
	theirs, _ := protobuf(t)
	var out bytes.Buffer
	if err := theirs.Serializer.Encode(o, &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func typedList(items ...meta) *metav1.PartialObjectMetadataList {
	list := &metav1.PartialObjectMetadataList{Items: items}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: metav1.GroupName, Version: "v1", Kind: "PartialObjectMetadataList"})
	list.ResourceVersion, list.Continue = "12", "token"
	return list
}

// TestCodec: for each message of a server, the codec reads the same relevant metadata
// as client-go.
func TestCodec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, n := drawMeta(t), drawMeta(t)
		status := &metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Code: 410}
		theirs, ours := protobuf(t)
		for _, o := range []runtime.Object{typed(&m), typedList(m, n), typedList(), status} {
			data := encode(t, o)
			want, _, err := theirs.Serializer.Decode(data, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, _, err := ours.Serializer.Decode(data, nil, nil)
			if err != nil || !reflect.DeepEqual(trim(want), trim(got)) {
				t.Errorf("%T: %v\n%+v\nwant\n%+v", o, err, got, want)
			}
		}
		if got, _, err := ours.Serializer.Decode(encode(t, typed(&m)), nil, nil); err != nil || got.(*meta).Labels != nil || got.(*meta).ManagedFields != nil {
			t.Errorf("read by the other: %v", err)
		}
	})
}

// TestCodecMalformed: the codec refuses a malformed message, as client-go does.
func TestCodecMalformed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMeta(t)
		data := encode(t, typedList(m))
		if rapid.Bool().Draw(t, "single") {
			data = encode(t, typed(&m))
		}
		data = data[:rapid.IntRange(0, len(data)).Draw(t, "length")]
		for range rapid.IntRange(0, 2).Draw(t, "flips") {
			if len(data) > 0 {
				data[rapid.IntRange(0, len(data)-1).Draw(t, "at")] ^= byte(1 << rapid.IntRange(0, 7).Draw(t, "bit"))
			}
		}
		theirs, ours := protobuf(t)
		want, _, err := theirs.Serializer.Decode(data, nil, nil)
		if err != nil { // a flipped bit in a skipped field may stay undetected
			return
		}
		got, _, err := ours.Serializer.Decode(data, nil, nil)
		if err != nil || !reflect.DeepEqual(trim(want), trim(got)) {
			t.Errorf("%v\n%+v\nwant\n%+v", err, got, want)
		}
	})
}

// TestCodecStream: the codec reads the frames of a watch one after the other through
// one buffer.
func TestCodecStream(t *testing.T) {
	_, ours := protobuf(t)
	theirs, _ := protobuf(t)
	var pipe bytes.Buffer
	framed := theirs.StreamSerializer.Framer.NewFrameWriter(&pipe)
	long := named("ns", "a")
	long.Annotations = map[string]string{"x": string(bytes.Repeat([]byte("x"), 5000))}
	last := meta{}
	last.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	sent := []struct {
		what   watch.EventType
		object runtime.Object
	}{
		{watch.Added, typed(&long)},
		{watch.Modified, typed(at("b", "7"))},
		{watch.Bookmark, typed(&last)},
		{watch.Deleted, typed(at("c", "8"))},
		{watch.Error, &metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Code: 410}},
	}
	for _, s := range sent {
		e := &metav1.WatchEvent{Type: string(s.what), Object: runtime.RawExtension{Raw: encode(t, s.object)}}
		if err := theirs.StreamSerializer.Encode(e, framed); err != nil {
			t.Fatal(err)
		}
	}
	frames := ours.StreamSerializer.Framer.NewFrameReader(io.NopCloser(&pipe))
	in := restwatch.NewDecoder(streaming.NewDecoder(frames, ours.StreamSerializer.Serializer), ours.Serializer)
	var got []runtime.Object
	for _, s := range sent {
		what, o, err := in.Decode()
		if err != nil || what != s.what {
			t.Fatalf("%s for %s: %v", what, s.what, err)
		}
		got = append(got, o)
	}
	for i, s := range sent { // read them only now: no object may alias the buffer
		if a, b := trim(got[i]), trim(s.object); !reflect.DeepEqual(a, b) {
			if _, is := a.(*metav1.Status); !is || a.(*metav1.Status).Code != 410 {
				t.Errorf("%s\n%+v\nwant\n%+v", s.what, a, b)
			}
		}
	}
	if _, _, err := in.Decode(); err != io.EOF {
		t.Errorf("after the last: %v", err)
	}
}
