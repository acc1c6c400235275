package graph_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

func TestValidateRecord(t *testing.T) {
	for _, c := range []struct {
		name   string
		size   int
		want   string // of the error's text; "" for none
		reason string
	}{
		{"a", 0, "", "the shortest name, and an empty value"},
		{"7", 1, "", "a name of Kubernetes may begin with a digit"},
		{"brake-2-b", 3, "", "letters, digits and -"},
		{strings.Repeat("a", 63), 64 << 10, "", "the longest ones"},
		{"", 0, "name: empty", "no key"},
		{strings.Repeat("a", 64), 0, "name: 64 bytes, more than 63", "too long for a label of DNS"},
		{"a", 64<<10 + 1, "value: 65537 bytes, more than 65536", "too large for some stores"},
		{"Pause", 0, `name: byte 0: 'P'`, "names of Kubernetes have no capital"},
		{"a/b", 0, `name: byte 1: '/'`, "a key of etcd would be in another range"},
		{"a_b", 0, `name: byte 1: '_'`, "no name of Kubernetes"},
		{"a.b", 0, `name: byte 1: '.'`, "no label of DNS"},
		{"-a", 0, `name: byte 0: '-'`, "no label of DNS"},
		{"a-", 0, `name: byte 1: '-'`, "no label of DNS"},
		{"-", 0, `name: byte 0: '-'`, "no label of DNS"},
		{"ä", 0, `name: byte 0`, "bytes, and not letters of a language"},
		{strings.Repeat("x", 500), 0, "name: 500 bytes", "the text of the error is cut"},
	} {
		err := graph.ValidateRecord(c.name, make([]byte, c.size))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%q: %v: %s", c.name, err, c.reason)
		case c.want != "" && (!errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 200):
			t.Errorf("%q: %v, want %q: %s", c.name, err, c.want, c.reason)
		}
	}
}
