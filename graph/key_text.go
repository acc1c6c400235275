package graph

import (
	"strings"
	"unicode"
)

// Text returns the kind as people type and read it: NAME[.GROUP], such as "Deployment.apps".
func (k Kind) Text() string {
	if group, name, has := strings.Cut(string(k), "/"); has && group != "" {
		return name + "." + group
	}
	return strings.TrimPrefix(string(k), "/")
}

// Text returns the coordinates as people type and read them: KIND/[SCOPE/]NAME, such as
// "Deployment.apps/shop/web". Plans, explanations and commands use it. Names that this form cannot
// have are in the notation of PlaceString, which quotes them. So no name controls a terminal.
//
//test:by TestKeyText
func (k Key) Text() string {
	_, kind, has := strings.Cut(string(k.Kind), "/")
	if !has {
		kind = string(k.Kind)
	}
	if odd(string(k.Kind)) || odd(k.Scope) || odd(k.Name) || strings.ContainsAny(kind, "./") || strings.ContainsAny(k.Scope+k.Name, "/") {
		return k.PlaceString()
	}
	if k.Scope == "" {
		return k.Kind.Text() + "/" + k.Name
	}
	return k.Kind.Text() + "/" + k.Scope + "/" + k.Name
}

// odd reports whether a name has a character that the short form cannot have.
func odd(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool {
		return r == '"' || r == ' ' || r == unicode.ReplacementChar || !unicode.IsPrint(r)
	})
}
