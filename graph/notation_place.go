package graph

// PlaceString returns the key without its UID as text: kind/name for a global object,
// kind/scope/name for another one. A part is a Go string in double quotes if it is empty
// or has other bytes than A-Z a-z 0-9 . _ -. A "/", a blank, a quote or a control
// character in a name can therefore not pass for another place. The text is printable
// ASCII or the printable characters of other alphabets. It is stable, and may be stored.
//
//	pod/shop/web
//	node/n1
//	"apps/Deployment"/shop/"a b"
//
// Different places give different text, and ParsePlace reads every one back.
//
//test:by TestPlace FuzzPlace
func (k Key) PlaceString() string { return string(k.appendPlace(nil)) }

// ParsePlace reads exactly the text that PlaceString writes, and returns a key without a
// UID. One place has one text. ParsePlace refuses another spelling, such as quotes
// without need or a blank around the text. It refuses a UID, and text longer than
// 1 MiB. An error wraps ErrInvalid and names the byte (from 1) and the cause.
//
//test:by TestPlace TestPlaceErrors FuzzPlace
func ParsePlace(s string) (Key, error) {
	p, err := newParser("parse place", s)
	if err != nil {
		return Key{}, err
	}
	k, parts, err := p.place()
	switch {
	case err != nil:
		return Key{}, err
	case p.at < len(s):
		return Key{}, p.unexpected("place", "the end")
	case parts == 1:
		return Key{}, p.unexpected("place", `"/" and the name`)
	}
	if want := k.PlaceString(); want != s {
		p.at = 0
		return Key{}, p.fail("place", "another spelling of %.200s", want)
	}
	return k, nil
}

// place reads kind, scope and name, and returns the number of parts.
func (p *parser) place() (k Key, parts int, err error) {
	list := make([]string, 0, 3)
	for len(list) == 0 || p.accept("/") {
		if len(list) == 3 {
			return k, 3, p.fail("key", `more than kind, scope and name: quote a part that has "/"`)
		}
		part, err := p.word("key", isPlain)
		if err != nil {
			return k, len(list), err
		}
		list = append(list, part)
	}
	k.Kind, k.Name = Kind(list[0]), list[len(list)-1]
	if len(list) == 3 {
		k.Scope = list[1]
	}
	return k, len(list), nil
}
