package graph

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxNotation is the longest text that the notation's parsers read, in bytes.
const maxNotation = 1 << 20

// Parse reads objects in the one-line notation, in the order of the text. Blank text has
// no objects. The caller owns the result. An error wraps ErrInvalid and names the byte
// (from 1), the field and the cause.
//
//	Objects   = [ Object { ";" Object } ]
//	Object    = Key [ "#" Text ] [ "~" [ Number ] ] Finalizer* [ "%" Number "/" Number ] [ "->" Ref { "," Ref } ]
//	Finalizer = "*" | "[" Name { "," Name } "]"
//	Ref       = Key { "!" | "^" | "?" | ":" Text }
//	Key       = Text [ "/" [ Text "/" ] Text ] ( "'"* | "@" Text )
//	Text      = one or more of A-Z a-z 0-9 . _ -, or a Go string in double quotes
//	Name      = Text, "/" being plain as well
//
// Blanks may stand around ";", "," and "->". The parts mean:
//
//	a                    kind a, name a, UID a, global
//	a'                   kind a, name a, UID a': the next incarnation of a
//	pod/web              kind pod, global, name web, UID pod/web
//	pod/shop/web'        kind pod, scope shop, name web, UID pod/shop/web'
//	pod/shop/web@8d12    the UID as given
//	"apps/Deployment"/x  text that is not plain is quoted
//	a#3                  version 3
//	a~  a~30             deletion mark, grace period of 30 seconds
//	a[orphan,x.io/y]     finalizers; foreground is short for FinalizerForeground
//	a*                   the finalizer "foreign"
//	a%2/1                generation 2, of which 1 is observed
//	b -> a!, c^?         owner references: ! Block, ^ Controller, ? Unresolved
//	b -> a:release       OnDelete: release, restrict or cascade
//
// Format is the inverse for every set of objects with distinct keys whose text is no
// longer than 1 MiB. Objects with a negative number, with an unknown OnDelete, or with a
// grace period and no mark are an exception. No store may have them. Format prints them, so
// that a failure shows them, and Parse refuses them.
//
//test:by TestNotationRoundTrip FuzzNotation
func Parse(s string) ([]Object, error) {
	p, err := newParser("parse objects", s)
	if err != nil || p.end() {
		return nil, err
	}
	var out []Object
	seen := map[Key]bool{}
	for {
		p.blanks()
		start := p.at
		o, err := p.object()
		if err != nil {
			return nil, err
		}
		if seen[o.Key] {
			p.at = start
			return nil, p.fail("object", "%v is there twice", o.Key)
		}
		seen[o.Key] = true
		out = append(out, o)
		if p.end() {
			return out, nil
		}
		if !p.accept(";") {
			return nil, p.unexpected("object", `";" or the end`)
		}
	}
}

// ParseObject reads exactly one object, as Parse does.
func ParseObject(s string) (Object, error) {
	p, err := newParser("parse object", s)
	if err != nil {
		return Object{}, err
	}
	p.blanks()
	o, err := p.object()
	if err == nil && !p.end() {
		err = p.unexpected("object", "the end")
	}
	if err != nil {
		return Object{}, err
	}
	return o, nil
}

// ParseKey reads exactly one key, as Parse does.
func ParseKey(s string) (Key, error) {
	p, err := newParser("parse key", s)
	if err != nil {
		return Key{}, err
	}
	p.blanks()
	k, err := p.key()
	if err == nil && !p.end() {
		err = p.unexpected("key", "the end")
	}
	if err != nil {
		return Key{}, err
	}
	return k, nil
}

// parser reads one text from left to right, without going back.
type parser struct {
	verb, text string
	at         int
}

func newParser(verb, s string) (*parser, error) {
	if len(s) > maxNotation {
		return nil, fmt.Errorf("%s: text: %d bytes, at most %d: %w", verb, len(s), maxNotation, ErrInvalid)
	}
	return &parser{verb: verb, text: s}, nil
}

func (p *parser) object() (o Object, err error) {
	if o.Key, err = p.key(); err != nil {
		return o, err
	}
	if p.accept("#") {
		var v string
		if v, err = p.word("version", isPlain); err != nil {
			return o, err
		}
		o.Version = Version(v)
	}
	if p.accept("~") {
		o.Deleting = true
		if isDigit(p.next()) {
			if o.GraceSeconds, err = p.number("grace period"); err != nil {
				return o, err
			}
		}
	}
	if o.Finalizers, err = p.finalizers(); err != nil {
		return o, err
	}
	if p.accept("%") {
		if o.Generation, o.ObservedGeneration, err = p.generations(); err != nil {
			return o, err
		}
	}
	p.blanks()
	if p.accept("->") {
		o.Owners, err = p.refs()
	}
	return o, err
}

func (p *parser) finalizers() (list []string, err error) {
	for {
		switch {
		case p.accept("*"):
			list = append(list, foreign)
		case p.accept("["):
			if list, err = p.names(list); err != nil {
				return nil, err
			}
		default:
			return list, nil
		}
	}
}

// names reads the names between brackets, and the closing bracket.
func (p *parser) names(list []string) ([]string, error) {
	for {
		p.blanks()
		quoted := p.next() == '"'
		f, err := p.word("finalizer", isName)
		if err != nil {
			return nil, err
		}
		if f == shortForeground && !quoted {
			f = FinalizerForeground
		}
		list = append(list, f)
		p.blanks()
		if p.accept("]") {
			return list, nil
		}
		if !p.accept(",") {
			return nil, p.unexpected("finalizer", `"," or "]"`)
		}
	}
}

func (p *parser) generations() (set, observed int64, err error) {
	if set, err = p.number("generation"); err != nil {
		return 0, 0, err
	}
	if !p.accept("/") {
		return 0, 0, p.unexpected("generation", `"/" and the observed generation`)
	}
	observed, err = p.number("observed generation")
	return set, observed, err
}

func (p *parser) refs() (list []Owner, err error) {
	for {
		p.blanks()
		var r Owner
		if r.Key, err = p.key(); err != nil {
			return nil, err
		}
		if err = p.flags(&r); err != nil {
			return nil, err
		}
		list = append(list, r)
		p.blanks()
		if !p.accept(",") {
			return list, nil
		}
	}
}

func (p *parser) flags(r *Owner) error {
	for {
		var flag *bool
		switch p.next() {
		case '!':
			flag = &r.Block
		case '^':
			flag = &r.Controller
		case '?':
			flag = &r.Unresolved
		case ':':
			if err := p.onDelete(r); err != nil {
				return err
			}
			continue
		default:
			return nil
		}
		if *flag {
			return p.fail("reference", "%q is there twice", p.next())
		}
		*flag = true
		p.at++
	}
}

func (p *parser) onDelete(r *Owner) error {
	if r.OnDelete != OnDeleteUnset {
		return p.fail("reference", "%q is there twice", p.next())
	}
	p.at++
	start := p.at
	text, err := p.word("policy", isPlain)
	if err != nil {
		return err
	}
	if r.OnDelete.UnmarshalText([]byte(text)) != nil || r.OnDelete == OnDeleteUnset {
		p.at = start
		return p.fail("policy", "want release, restrict or cascade, found %.100q", text)
	}
	return nil
}

func (p *parser) key() (k Key, err error) {
	k, parts, err := p.place()
	if err != nil {
		return k, err
	}
	if p.accept("@") {
		uid, err := p.word("UID", isPlain)
		k.UID = UID(uid)
		return k, err
	}
	first := k.Name
	if parts > 1 {
		first = string(k.appendPlace(nil))
	}
	start := p.at
	for p.accept("'") {
	}
	k.UID = UID(first + p.text[start:p.at])
	return k, nil
}

// word reads a quoted string, or the longest run of plain bytes. It stops before "->".
func (p *parser) word(field string, plain func(byte) bool) (string, error) {
	rest := p.text[p.at:]
	if p.next() == '"' {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return "", p.fail(field, "not a Go string, or it does not end")
		}
		p.at += len(quoted)
		return strconv.Unquote(quoted)
	}
	n := 0
	for n < len(rest) && plain(rest[n]) && !strings.HasPrefix(rest[n:], "->") {
		n++
	}
	if n == 0 {
		return "", p.unexpected(field, "plain text or a quoted string")
	}
	p.at += n
	return rest[:n], nil
}

func (p *parser) number(field string) (int64, error) {
	n := 0
	for p.at+n < len(p.text) && isDigit(p.text[p.at+n]) {
		n++
	}
	if n == 0 {
		return 0, p.unexpected(field, "a number")
	}
	v, err := strconv.ParseInt(p.text[p.at:p.at+n], 10, 64)
	if err != nil {
		return 0, p.fail(field, "the number is too large")
	}
	p.at += n
	return v, nil
}

// next returns the next byte, 0 at the end.
func (p *parser) next() byte {
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *parser) accept(token string) bool {
	ok := strings.HasPrefix(p.text[p.at:], token)
	if ok {
		p.at += len(token)
	}
	return ok
}

func (p *parser) blanks() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// end skips blanks and reports whether the text is at its end.
func (p *parser) end() bool {
	p.blanks()
	return p.at == len(p.text)
}

func (p *parser) fail(field, format string, args ...any) error {
	return fmt.Errorf("%s: byte %d: %s: %s: %w", p.verb, p.at+1, field, fmt.Sprintf(format, args...), ErrInvalid)
}

func (p *parser) unexpected(field, want string) error {
	if p.at == len(p.text) {
		return p.fail(field, "want %s, found the end", want)
	}
	found, _ := utf8.DecodeRuneInString(p.text[p.at:])
	return p.fail(field, "want %s, found %q", want, string(found))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isPlain(c byte) bool {
	return isDigit(c) || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || c == '.' || c == '_' || c == '-'
}

func isName(c byte) bool { return isPlain(c) || c == '/' }
