package etcdstore

import (
	"github.com/ownergraph/ownergraph/graph"
)

// Record is everything that one key contains: the metadata of an object, its labels, and the
// payload of its user. It is a plain value that owns its slices and its map.
type Record struct {
	// Object is the metadata. Its version is the key's mod revision, and no part of the
	// value.
	Object graph.Object
	// Labels are for selection. Label and Update write them.
	Labels map[string]string
	// Payload is the user's own content. The engine never reads it, and keeps it byte by
	// byte.
	Payload []byte
}

// Codec maps objects to keys and values. Write one to keep the keys and the values of a
// control plane that exists already. A Codec is safe for concurrent use, and its answers
// are always the same.
//
// Keys are without Config.Prefix. No two places may have one key. The codec must keep every
// part of a Record: a finalizer that is lost in a value lets its object go too early.
type Codec interface {
	// Prefix returns the beginning of the keys of all objects of the kind. No other key
	// begins with it.
	Prefix(kind graph.Kind) string
	// Key returns the key of a place. The error wraps ErrInvalid, and refuses the place.
	Key(place graph.Key) (string, error)
	// Place returns the place of a key, so that Key returns this key. After an error the
	// watch reports the key as an object of no place.
	Place(key string) (graph.Key, error)
	// Encode returns the value of a record. It ignores the version. The error wraps
	// ErrInvalid, and refuses the write.
	Encode(r Record) ([]byte, error)
	// Decode returns the record of the value at a place, without a version. It keeps no
	// part of the value. The record's place is that of the argument. The error names the
	// field. After an error the value counts as present and damaged, and never as absent.
	Decode(place graph.Key, value []byte) (Record, error)
}
