package mutants

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// twoModules has a module beside its workspace, which imports the other one.
func twoModules(t *testing.T) string {
	t.Helper()
	return module(t, map[string]string{
		"go.mod":               "module example.com/m\n\ngo 1.25.0\n",
		"go.work":              "go 1.25.0\n\nuse (\n\t.\n\t./within\n)\n",
		"p/p.go":               "package p\n\nfunc F() int { return 1 }\n",
		"within/go.mod":        "module example.com/m/within\n\ngo 1.25.0\n",
		"within/w.go":          "package within\n\nfunc F() int { return 2 }\n",
		"alone/go.mod":         "module example.com/m/alone\n\ngo 1.25.0\n\nrequire example.com/m v0.0.0\n\nreplace example.com/m => ../\n",
		"alone/a.go":           "package alone\n\nimport \"example.com/m/p\"\n\nfunc F() int { return p.F() + 2 }\n",
		"alone/a_test.go":      "package alone\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) {\n\tif F() != 3 {\n\t\tt.Error(F())\n\t}\n}\n",
		"alone/inner/i.go":     "package inner\n\nfunc F() int { return 3 }\n",
		"aloneness/a.go":       "package aloneness\n",
		"within/deeper/w.go":   "package deeper\n",
		"alone/inner/i_old.go": "package inner\n\nconst Old = 1\n",
	})
}

// TestHome: the go command runs at the module of a package that is outside of the workspace.
func TestHome(t *testing.T) {
	root := twoModules(t)
	for _, c := range []struct {
		dir, at, arg, reason string
		alone                bool
	}{
		{".", ".", ".", "the root is in its workspace", false},
		{"p", ".", "./p", "so are its packages", false},
		{"within/deeper", ".", "./within/deeper", "the workspace has another module", false},
		{"alone", "alone", ".", "the module itself", true},
		{"./alone/inner", "alone", "./inner", "a package of it, as suites spell it", true},
		{"aloneness", ".", "./aloneness", "the name only begins as that of the module", false},
	} {
		h := homeOf(root, c.dir)
		if h.dir != c.at || h.alone != c.alone || h.argument(c.dir) != c.arg {
			t.Errorf("%s: %+v and %s: %s", c.dir, h, h.argument(c.dir), c.reason)
		}
	}
}

// TestOtherModule: an edit of a module outside of the workspace is checked there, and its suite kills it.
func TestOtherModule(t *testing.T) {
	root := twoModules(t)
	c, err := NewChecker(t.Context(), root, []string{"p", "alone", "alone/inner", "within"})
	if err != nil {
		t.Fatal(err)
	}
	b := Bench{Root: root, Scratch: t.TempDir(), Timeout: time.Minute}
	for _, e := range []struct {
		body, flaw, reason string
		want               Verdict
	}{
		{"p.F() + 2", "", "the source", Survived},
		{"p.F() - 2", "", "the suite sees the fault", Killed},
		{"p.G()", "undefined: p.G", "the import is that of the module", Unbuilt},
	} {
		edit := Edit{File: "alone/a.go", Content: []byte("package alone\n\nimport \"example.com/m/p\"\n\nfunc F() int { return " + e.body + " }\n")}
		if err := c.Check(edit); e.flaw == "" && err != nil || e.flaw != "" && (!errors.Is(err, ErrCompile) || !strings.Contains(err.Error(), e.flaw)) {
			t.Errorf("%s: error %v, want %q", e.reason, err, e.flaw)
		}
		if got := b.try(t.Context(), edit, []suite{testsOf("./alone")}, false); len(got) != 1 || got[0].Verdict != e.want {
			t.Errorf("%s: %v, want %s", e.reason, got, e.want)
		}
	}
}
