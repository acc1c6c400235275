package graph

import "fmt"

// Record is a small value that a store keeps under a name, beside its objects. It is a plain
// value that owns its bytes.
type Record struct {
	Value []byte
	// Version is not empty. Each write of the record makes another one, also if the value
	// stays the same. The store never uses a version of the record for another value.
	Version Version
}

const (
	maxRecordName  = 63
	maxRecordValue = 64 << 10
)

// ValidateRecord returns an error that wraps ErrInvalid, if no store keeps such a record. The
// error names the field. A name has 1 to 63 lower case letters, digits and "-", and its first
// and last bytes are no "-". A value has at most 64 KiB.
//
//test:by TestValidateRecord
func ValidateRecord(name string, value []byte) error {
	flawed := func(field, cause string) error {
		return fmt.Errorf("record %.80q: %s: %s: %w", name, field, cause, ErrInvalid)
	}
	switch {
	case name == "":
		return flawed("name", "empty")
	case len(name) > maxRecordName:
		return flawed("name", fmt.Sprintf("%d bytes, more than %d", len(name), maxRecordName))
	case len(value) > maxRecordValue:
		return flawed("value", fmt.Sprintf("%d bytes, more than %d", len(value), maxRecordValue))
	}
	last := len(name) - 1
	for i := range len(name) {
		c := name[i]
		if letter := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'; !letter && (c != '-' || i == 0 || i == last) {
			return flawed("name", fmt.Sprintf("byte %d: %q is not allowed there", i, c))
		}
	}
	return nil
}
