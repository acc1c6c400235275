package clientgo

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// metadataCodec reads protobuf in place of another serializer. It decodes only the
// metadata that decisions need, and the finalizers in a Namespace's spec. It skips
// labels, managed fields and most annotations, which are most of a server's answer. Without
// this, a start would leave several times more garbage than its result. The other
// serializer reads every other message.
//
//test:by TestCodec TestCodecMalformed TestCodecNamespaces
type metadataCodec struct {
	runtime.NegotiatedSerializer
	infos []runtime.SerializerInfo
	pool  *sync.Pool // of single objects, which a caller may release
}

func newMetadataCodec(other runtime.NegotiatedSerializer) metadataCodec {
	spare := &sync.Pool{New: func() any { return new(metav1.PartialObjectMetadata) }}
	infos := slices.Clone(other.SupportedMediaTypes())
	for i, info := range infos {
		if info.MediaType == runtime.ContentTypeJSON {
			infos[i].Serializer = namespaceCodec{info.Serializer}
		}
		if info.MediaType != runtime.ContentTypeProtobuf {
			continue
		}
		infos[i].Serializer = objectCodec{info.Serializer, spare}
		if s := info.StreamSerializer; s != nil {
			stream := *s
			stream.Serializer = frameCodec{s.Serializer}
			infos[i].StreamSerializer = &stream
		}
	}
	return metadataCodec{other, infos, spare}
}

// SupportedMediaTypes returns the other's types, with this codec for protobuf.
func (l metadataCodec) SupportedMediaTypes() []runtime.SerializerInfo { return l.infos }

// release gives an object back. The caller may keep only its texts and lists.
func (l metadataCodec) release(m *metav1.PartialObjectMetadata) {
	*m = metav1.PartialObjectMetadata{}
	l.pool.Put(m)
}

// frameCodec reads the frames of a watch.
type frameCodec struct{ runtime.Serializer }

// Decode reads an event. Its object stays in the bytes of the frame, and the caller
// reads it before the next frame.
func (l frameCodec) Decode(data []byte, kind *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	if e, ok := into.(*metav1.WatchEvent); ok {
		what, ok1 := part(data, 1)
		object, ok2 := part(data, 2)
		raw, ok3 := part(object, 1)
		if ok1 && ok2 && ok3 && len(what) > 0 {
			e.Type, e.Object = intern(string(what)), runtime.RawExtension{Raw: raw}
			return e, kind, nil
		}
	}
	return l.Serializer.Decode(data, kind, into)
}

// objectCodec reads the metadata of one object or of a page.
type objectCodec struct {
	runtime.Serializer
	pool *sync.Pool
}

// Decode reads metadata, unless the caller requests another type.
func (l objectCodec) Decode(data []byte, kind *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	if raw, is := unwrap(data); into == nil {
		switch is.Kind {
		case "PartialObjectMetadata", "Namespace":
			if m := l.pool.Get().(*metav1.PartialObjectMetadata); readObject(raw, is.Kind, m) {
				return m, &is, nil
			}
		case "PartialObjectMetadataList", "NamespaceList":
			if list := readPage(raw, strings.TrimSuffix(is.Kind, "List")); list != nil {
				return list, &is, nil
			}
		}
	}
	return l.Serializer.Decode(data, kind, into)
}

// unwrap returns the content of a protobuf envelope, and its kind if this codec reads
// it.
func unwrap(data []byte) (raw []byte, kind schema.GroupVersionKind) {
	data, ok := bytes.CutPrefix(data, []byte("k8s\x00"))
	of, ok1 := part(data, 1)
	version, ok2 := part(of, 1)
	is, ok3 := part(of, 2)
	raw, ok4 := part(data, 2)
	packed, ok5 := part(data, 3)
	if !ok || !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || len(packed) > 0 {
		return nil, kind
	}
	switch meta := string(version) == "meta.k8s.io/v1"; {
	case meta && string(is) == "PartialObjectMetadata", meta && string(is) == "PartialObjectMetadataList":
		return raw, metav1.SchemeGroupVersion.WithKind(string(is))
	case string(version) == "v1" && (string(is) == "Namespace" || string(is) == "NamespaceList"):
		return raw, schema.GroupVersionKind{Version: "v1", Kind: string(is)}
	}
	return nil, kind
}

// readPage reads a page of objects of a kind. It returns nil for a malformed page.
func readPage(data []byte, kind string) *metav1.PartialObjectMetadataList {
	n := 0
	w := wire{rest: data}
	for field := w.next().field; field != 0; field = w.next().field {
		if field == 2 {
			n++
		}
	}
	list := &metav1.PartialObjectMetadataList{Items: make([]metav1.PartialObjectMetadata, n)}
	i := 0
	for w = (wire{rest: data}); ; {
		switch f := w.next(); f.field {
		case 0:
			if w.broken {
				return nil
			}
			return list
		case 1:
			if list.ListMeta.Unmarshal(f.value) != nil {
				return nil
			}
		case 2:
			if !readObject(f.value, kind, &list.Items[i]) {
				return nil
			}
			i++
		}
	}
}

// readObject reads one object of a kind, and reports whether it is well-formed. A
// Namespace is sent whole and has finalizers in its spec.
func readObject(data []byte, kind string, out *metav1.PartialObjectMetadata) bool {
	if !readMetadata(data, out) {
		return false
	}
	if kind != string(namespaceKind) {
		return true
	}
	spec, ok := part(data, 2)
	for w := (wire{rest: spec}); ok; {
		f := w.next()
		switch f.field {
		case 0:
			return !w.broken
		case 1:
			out.Finalizers = append(out.Finalizers, intern(specPrefix+string(f.value)))
		}
	}
	return false
}

// readMetadata reads one object's metadata, and reports whether it is well-formed.
func readMetadata(data []byte, out *metav1.PartialObjectMetadata) bool {
	meta, ok := part(data, 1)
	if !ok {
		return false
	}
	kept, annotations := make([]byte, 0, 1024), false
	for w := (wire{rest: meta}); ; {
		f := w.next()
		switch f.field {
		case 0:
			if w.broken || out.ObjectMeta.Unmarshal(kept) != nil {
				return false
			}
			if annotations && out.Annotations == nil { // a patch must not replace the others
				out.Annotations = map[string]string{}
			}
			return true
		case 1, 3, 5, 6, 7, 9, 10, 13, 14: // name, namespace, uid, version, generation, mark, grace, owners, finalizers
			kept = append(kept, f.whole...)
		case 12: // an annotation
			annotations = true
			switch name, _ := part(f.value, 1); string(name) {
			case metav1.InitialEventsAnnotationKey, OwnersAnnotation, GraceAnnotation: // the first ends the listing of a stream
				kept = append(kept, f.whole...)
			}
		}
	}
}
