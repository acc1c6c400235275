package clientgo

import "encoding/binary"

// wire iterates over the fields of a protobuf message.
type wire struct {
	rest   []byte
	broken bool // malformed
}

// wireField is one field of the message, as bytes.
type wireField struct {
	field uint64 // its number; 0 at the end of the message
	whole []byte // with its tag
	value []byte // of a field with a length
}

// next returns the next field.
func (w *wire) next() wireField {
	if len(w.rest) == 0 {
		return wireField{}
	}
	tag, n := binary.Uvarint(w.rest)
	f := wireField{field: tag >> 3}
	if n <= 0 || f.field == 0 {
		return w.fail()
	}
	size := 0
	switch tag & 7 {
	case 0:
		_, size = binary.Uvarint(w.rest[n:])
	case 1:
		size = 8
	case 2:
		length, m := binary.Uvarint(w.rest[n:])
		if m <= 0 || length > uint64(len(w.rest)-n-m) {
			return w.fail()
		}
		n, size = n+m, int(length)
		f.value = w.rest[n : n+size]
	case 5:
		size = 4
	default:
		return w.fail()
	}
	if size < 0 || size == 0 && tag&7 == 0 || n+size > len(w.rest) {
		return w.fail()
	}
	f.whole, w.rest = w.rest[:n+size], w.rest[n+size:]
	return f
}

func (w *wire) fail() wireField {
	w.broken, w.rest = true, nil
	return wireField{}
}

// part returns the value of a message's field. It returns the last value if there are
// several, and nil if there is none. ok is false for a malformed message.
func part(data []byte, number uint64) (value []byte, ok bool) {
	w := wire{rest: data}
	for f := w.next(); f.field != 0; f = w.next() {
		if f.field == number {
			value = f.value
		}
	}
	return value, !w.broken
}
