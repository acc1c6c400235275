// Package droppatch writes the changes of lint.Drops as JSON patches (RFC 6902) for a Kubernetes
// server, and as command lines of kubectl. Commands share it.
package droppatch

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/lint"
)

// Operation is one operation of a JSON patch.
type Operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value string `json:"value,omitempty"`
}

// Operations returns the patch of a drop: a test of the UID and of the version of the object, and
// for each reference, from the last one, a test of its UID and its removal. A server applies all of
// them or none.
//
//test:by TestPatch
func Operations(d lint.Drop) []Operation {
	ops := []Operation{
		{"test", "/metadata/uid", string(d.Object.UID)},
		{"test", "/metadata/resourceVersion", string(d.Version)},
	}
	for n := len(d.Indexes) - 1; n >= 0; n-- { // a removal moves the later references
		at := "/metadata/ownerReferences/" + strconv.Itoa(d.Indexes[n])
		ops = append(ops, Operation{"test", at + "/uid", string(d.Owners[n].UID)}, Operation{Op: "remove", Path: at})
	}
	return ops
}

// Command returns the patch as a command line of kubectl for a POSIX shell. The flags, such as
// "--context=prod", come first.
//
//test:by TestCommandInShell
func Command(d lint.Drop, flags []string) (string, error) {
	patch, err := json.Marshal(Operations(d))
	if err != nil {
		return "", err
	}
	words := append([]string{"kubectl", "patch"}, flags...)
	if d.Object.Scope != "" {
		words = append(words, "--namespace="+d.Object.Scope)
	}
	words = append(words, d.Object.Kind.Text()+"/"+d.Object.Name, "--type=json", "--patch="+string(patch))
	for i := range words {
		words[i] = Quote(words[i])
	}
	return strings.Join(words, " "), nil
}

// Quote returns a text as one word of a POSIX shell.
//
//test:by TestQuote
func Quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Answer is the drops in the form of JSON.
type Answer struct {
	Patches []Patch `json:"patches"`
	Left    []Left  `json:"left"`
}

// Patch is the patch of one object. Result is that of its application, "" without one.
type Patch struct {
	Object  string      `json:"object"`
	Patch   []Operation `json:"patch"`
	Command string      `json:"command"`
	Result  string      `json:"result,omitempty"`
	Cause   string      `json:"cause,omitempty"`
}

// Left is a wrong reference that stays.
type Left struct {
	Object string `json:"object"`
	Field  string `json:"field"`
	Cause  string `json:"cause"`
}

// New returns the drops as an answer.
func New(all lint.Drops, flags []string) (x Answer, err error) {
	x = Answer{[]Patch{}, []Left{}}
	for _, d := range all.Objects {
		p := Patch{Object: d.Object.Text(), Patch: Operations(d)}
		if p.Command, err = Command(d, flags); err != nil {
			return x, err
		}
		x.Patches = append(x.Patches, p)
	}
	for _, l := range all.Left {
		x.Left = append(x.Left, Left{l.Object.Text(), "owners[" + strconv.Itoa(l.Index) + "]", l.Cause})
	}
	return x, nil
}

// Text returns the command lines or the results, and the references that stay.
func (x Answer) Text() string {
	var b strings.Builder
	b.WriteString("patches: " + strconv.Itoa(len(x.Patches)) + "\n")
	for _, p := range x.Patches {
		switch {
		case p.Result == "":
			b.WriteString(p.Command + "\n")
		case p.Cause == "":
			b.WriteString(p.Result + ": " + p.Object + "\n")
		default:
			b.WriteString(p.Result + ": " + p.Object + ": " + p.Cause + "\n")
		}
	}
	for _, l := range x.Left {
		b.WriteString("left: " + l.Object + ": " + l.Field + ": " + l.Cause + "\n")
	}
	return b.String()
}
