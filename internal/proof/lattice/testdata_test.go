package lattice

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// binary returns the reason why a reviewer cannot read the content as text, or
// "" for text.
func binary(content []byte) string {
	switch {
	case bytes.IndexByte(content, 0) >= 0:
		return "has a NUL byte"
	case !utf8.Valid(content):
		return "is not UTF-8"
	}
	return ""
}

func TestTestdataIsText(t *testing.T) {
	seen := 0
	err := walk(func(p string) error {
		if !slices.Contains(strings.Split(p, "/"), "testdata") {
			return nil
		}
		seen++
		content, err := os.ReadFile(filepath.Join(root(), filepath.FromSlash(p)))
		if why := binary(content); why != "" {
			t.Errorf("%s %s", p, why)
		}
		return err
	})
	if err != nil || seen == 0 {
		t.Errorf("%d files seen, error %v", seen, err)
	}
}

func TestTestdataCanFail(t *testing.T) {
	for _, c := range []struct {
		content, want, reason string
	}{
		{"text, even ünïcode\n", "", "testdata has text"},
		{"a\x00b", "has a NUL byte", "no text has one"},
		{"\x7fELF\xff", "is not UTF-8", "a program is no test data"},
	} {
		if got := binary([]byte(c.content)); got != c.want {
			t.Errorf("%q: %q, want %q: %s", c.content, got, c.want, c.reason)
		}
	}
}
