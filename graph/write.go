package graph

import "fmt"

// WriteType is the type of a write.
type WriteType uint8

const (
	// WriteUnset is no write.
	WriteUnset WriteType = iota
	// WritePatch changes the metadata of an object.
	WritePatch
	// WriteDelete deletes an object.
	WriteDelete
)

var writeNames = [...]string{"unset", "patch", "delete"}

// String returns the write type in lower case.
func (t WriteType) String() string {
	if int(t) < len(writeNames) {
		return writeNames[t]
	}
	return fmt.Sprintf("write(%d)", uint8(t))
}

// Write is one write of a batch: the arguments of a patch or of a deletion. Fields that the
// type does not name are zero.
type Write struct {
	Type WriteType
	Key  Key

	Precondition Precondition  // patch
	Change       Change        // patch
	Options      DeleteOptions // delete
}

// String describes the write, as in "delete pod/ns/a@u".
func (w Write) String() string { return w.Type.String() + " " + w.Key.String() }
