package graph

import (
	"slices"
	"strconv"
	"strings"
)

// Names with a shorter spelling in the notation.
const (
	foreign         = "foreign"    // printed as *
	shortForeground = "foreground" // stands for FinalizerForeground
)

// Format returns the objects in the notation of Parse, in the shortest form, sorted by
// key. Objects with one key keep their order, and so do references and finalizers. Equal
// sets of objects give equal text. Format does not change the objects.
func Format(objects []Object) string {
	sorted := slices.Clone(objects)
	slices.SortStableFunc(sorted, func(a, b Object) int { return a.Key.Compare(b.Key) })
	var b []byte
	for i, o := range sorted {
		if i > 0 {
			b = append(b, "; "...)
		}
		b = o.appendText(b)
	}
	return string(b)
}

// String returns the object in the notation of Parse.
func (o Object) String() string { return string(o.appendText(nil)) }

// String returns the reference in the notation of Parse: its key, its flags and its policy.
func (o Owner) String() string { return string(o.appendText(nil)) }

// String returns the key in the notation of Parse. Different keys give different text,
// and ParseKey reads every one back.
func (k Key) String() string { return string(k.appendText(nil)) }

func (o Object) appendText(b []byte) []byte {
	b = o.Key.appendText(b)
	if o.Version != "" {
		b = appendWord(append(b, '#'), string(o.Version), isPlain)
	}
	b = o.appendMark(b)
	b = appendFinalizers(b, o.Finalizers)
	if o.Generation != 0 || o.ObservedGeneration != 0 {
		b = strconv.AppendInt(append(b, '%'), o.Generation, 10)
		b = strconv.AppendInt(append(b, '/'), o.ObservedGeneration, 10)
	}
	for i, r := range o.Owners {
		if i == 0 {
			b = append(b, " -> "...)
		} else {
			b = append(b, ", "...)
		}
		b = r.appendText(b)
	}
	return b
}

func (o Object) appendMark(b []byte) []byte {
	if !o.Deleting && o.GraceSeconds != 0 {
		b = append(b, '!') // no store may have it, and Parse refuses it
	}
	if o.Deleting || o.GraceSeconds != 0 {
		b = append(b, '~')
	}
	if o.GraceSeconds != 0 {
		b = strconv.AppendInt(b, o.GraceSeconds, 10)
	}
	return b
}

func appendFinalizers(b []byte, list []string) []byte {
	open := false // a bracket is open
	for _, f := range list {
		switch {
		case f == foreign && open:
			b = append(b, "]*"...)
		case f == foreign:
			b = append(b, '*')
		case open:
			b = appendFinalizer(append(b, ','), f)
		default:
			b = appendFinalizer(append(b, '['), f)
		}
		open = f != foreign
	}
	if open {
		b = append(b, ']')
	}
	return b
}

func appendFinalizer(b []byte, f string) []byte {
	switch f {
	case FinalizerForeground:
		return append(b, shortForeground...)
	case shortForeground:
		return strconv.AppendQuote(b, f)
	}
	return appendWord(b, f, isName)
}

func (o Owner) appendText(b []byte) []byte {
	b = o.Key.appendText(b)
	if o.Block {
		b = append(b, '!')
	}
	if o.Controller {
		b = append(b, '^')
	}
	if o.Unresolved {
		b = append(b, '?')
	}
	if o.OnDelete != OnDeleteUnset {
		b = append(append(b, ':'), o.OnDelete.String()...)
	}
	return b
}

func (k Key) appendText(b []byte) []byte {
	short := k.Scope == "" && string(k.Kind) == k.Name
	if primes, ok := incarnation(k.UID, k.Name); ok && short {
		return append(appendWord(b, k.Name, isPlain), primes...)
	}
	start := len(b)
	b = k.appendPlace(b)
	if primes, ok := incarnation(k.UID, string(b[start:])); ok {
		return append(b, primes...)
	}
	if short {
		b = appendWord(b[:start], k.Name, isPlain)
	}
	return appendWord(append(b, '@'), string(k.UID), isPlain)
}

// appendPlace appends kind/name or kind/scope/name.
func (k Key) appendPlace(b []byte) []byte {
	b = append(appendWord(b, string(k.Kind), isPlain), '/')
	if k.Scope != "" {
		b = append(appendWord(b, k.Scope, isPlain), '/')
	}
	return appendWord(b, k.Name, isPlain)
}

// incarnation returns the primes behind first, and whether the UID has nothing else.
func incarnation(uid UID, first string) (primes string, ok bool) {
	primes, ok = strings.CutPrefix(string(uid), first)
	return primes, ok && strings.Trim(primes, "'") == ""
}

func appendWord(b []byte, s string, plain func(byte) bool) []byte {
	for i := range len(s) {
		if !plain(s[i]) {
			return strconv.AppendQuote(b, s)
		}
	}
	if s == "" {
		return append(b, `""`...)
	}
	return append(b, s...)
}
