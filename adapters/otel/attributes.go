package oteltrace

import (
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/ownergraph/ownergraph"
)

// These attributes and two of the semantic conventions are the whole vocabulary.
const (
	finalizerKey = attribute.Key("ownergraph.finalizer")
	resultKey    = attribute.Key("ownergraph.result")
	failedKey    = attribute.Key("ownergraph.batch.failed")
)

// place has the attributes of one object.
type place struct{ kind, scope, name, uid attribute.Key }

// object returns the attributes of the object of a call.
func object() place {
	return place{"ownergraph.object.kind", "ownergraph.object.scope", "ownergraph.object.name", "ownergraph.object.uid"}
}

// root returns the attributes of the root of a cascade.
func root() place {
	return place{"ownergraph.root.kind", "ownergraph.root.scope", "ownergraph.root.name", "ownergraph.root.uid"}
}

// keyAttributes returns the attributes of a key. An empty scope has none, and neither has an
// unknown UID.
func keyAttributes(p place, k ownergraph.Key) []attribute.KeyValue {
	out := []attribute.KeyValue{p.kind.String(firstBytes(string(k.Kind))), p.name.String(firstBytes(k.Name))}
	if k.Scope != "" {
		out = append(out, p.scope.String(firstBytes(k.Scope)))
	}
	if k.UID != "" {
		out = append(out, p.uid.String(firstBytes(string(k.UID))))
	}
	return out
}

// maxText bounds the value of an attribute, and the text of an error.
const maxText = 512

// firstBytes returns the beginning of a text, as valid UTF-8. OTLP sends no other text, and one
// such value would lose all spans of an export.
func firstBytes(s string) string { return strings.ToValidUTF8(s[:min(len(s), maxText)], "?") }
