package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"go.yaml.in/yaml/v3"

	"github.com/ownergraph/ownergraph/internal/printing"
)

// TestInput: broken, empty, truncated and duplicate input fails, and the error names the
// place.
func TestInput(t *testing.T) {
	recorded, err := os.ReadFile(cluster)
	if err != nil {
		t.Fatal(err)
	}
	half := string(recorded[:len(recorded)/2])
	for _, c := range []struct{ reason, input, want string }{
		{"empty", "", "no object in 0 documents"},
		{"blanks", " \n\n", "no object in 0 documents"},
		{"an empty list", `{"apiVersion":"v1","kind":"List","items":[]}`, "no object in 1 documents"},
		{"truncated JSON", half, "truncated"},
		{"broken JSON", pod("a") + "}", "document 2, byte 86: not JSON"},
		{"an array", "[]", "want an object or a List, have an array"},
		{"a second object at a place", pod("a") + strings.Replace(pod("a"), "uid-a", "x", 1), "a second object at this place"},
		{"an object twice", pod("a") + pod("a"), "a second object at this place"},
		{"one UID twice", pod("a") + strings.Replace(pod("b"), "uid-b", "uid-a", 1), "uid-a is the UID of Pod/n/a too"},
		{"a second object in YAML", "kind: Pod\napiVersion: v1\nmetadata: {name: a, namespace: n, uid: u}\n---\nkind: Pod\napiVersion: v1\nmetadata: {name: a, namespace: n, uid: v}\n",
			"document 2 (Pod/n/a)"},
		{"truncated YAML", "kind: Pod\nmetadata:\n  name: \"a", "document 1, byte 0: not YAML"},
		{"text", "hello", "document 1"},
		{"an enormous name", strings.Replace(pod("a"), `"a"`, `"`+strings.Repeat("a", 1<<20)+`"`, 1), "metadata.name: longer than 1024 bytes"},
		{"an enormous field", strings.Replace(pod("a"), `{`, `{"`+strings.Repeat("a", 1<<20)+`":1,`, 1) + "!", "document 2"},
		{"an enormous depth", `{"spec":` + strings.Repeat("[", 1<<20), "exceeded max depth"},
		{"too much YAML", "# " + strings.Repeat("x", maxYAML), "more than 16 MiB of YAML"},
		{"binary", "\x7fELF\x00\x01", "document 1, byte 0: not YAML"},
	} {
		got := call(t, c.input, "lint", "-f", "-")
		if got.code != printing.ExitFailed || got.stdout != "" || !strings.Contains(got.stderr, "read standard input: ") || !strings.Contains(got.stderr, c.want) {
			t.Errorf("%s: exit %d, %s want %q", c.reason, got.code, got.stderr, c.want)
		}
	}
}

// TestYAML: YAML of kubectl has the result of the JSON, as one list and as documents.
func TestYAML(t *testing.T) {
	want := call(t, "", "plan", "-f", cluster, "deployment/shop/cart", "-o", "json")
	var list, documents strings.Builder
	list.WriteString("apiVersion: v1\nitems:\n")
	for _, item := range items(t) {
		var value any
		if err := json.Unmarshal(item, &value); err != nil {
			t.Fatal(err)
		}
		text, err := yaml.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		documents.WriteString("---\n" + string(text))
		list.WriteString("- " + strings.TrimSuffix(strings.ReplaceAll(string(text), "\n", "\n  "), "  "))
	}
	list.WriteString("kind: List\nmetadata:\n  resourceVersion: \"\"\n")
	indented := strings.Replace(strings.ReplaceAll(list.String(), "\n", "\n  "), "\n  items:", "\nitems:", 1)
	indented = strings.Replace(indented, "\n  kind: List\n  metadata:\n    resource", "\nkind: List\nmetadata:\n  resource", 1)
	tabs := strings.ReplaceAll(documents.String(), "---\n", "---\t# the next\n")
	ends := strings.ReplaceAll(documents.String(), "---\n", "...\t# the next\n")
	for name, input := range map[string]string{
		"comments behind tabs": tabs, "ends with comments": ends,
		"list": list.String(), "carriage returns": strings.ReplaceAll(list.String(), "\n", "\r\n"), "two lists": "---\n" + list.String() + "---\nkind: List\nitems:\n",
		"indented items": indented, "items first": strings.TrimPrefix(list.String(), "apiVersion: v1\n") + "apiVersion: v1\n", "documents": documents.String(), "comments": "# made by hand\n\n" + documents.String() + "---\n---\n# end\n",
	} {
		got := call(t, input, "plan", "-f", "-", "deployment/shop/cart", "-o", "json")
		if got != want {
			t.Errorf("%s: exit %d, want %d\n%s", name, got.code, want.code, got.stderr)
		}
	}
}

func TestYAMLErrors(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for i := range 20 {
		bomb += fmt.Sprintf("%[2]c: &%[2]c [*%[1]c,*%[1]c,*%[1]c,*%[1]c,*%[1]c,*%[1]c,*%[1]c,*%[1]c]\n", 'a'+i, 'b'+i)
	}
	for _, c := range []struct{ reason, input, want string }{
		{"the line of an item", "kind: List\nitems:\n- a: 1\n- b: 1\n  b: 2\n", `line 5: "b": given twice`},
		{"a field of a list twice", "kind: List\nitems:\n- a: 1\nkind: Pod\n", `line 4: "kind": given twice`},
		{"items twice", "items:\n- a: 1\nitems:\n- b: 1\n", `line 3: "items": given twice`},
		{"a broken item", "items:\n- a: 1\n- \"b\n- c\n", "not YAML, from line 3 on"},
		{"text behind the items", "items:\n- a: 1\nb\n", "want fields"},
		{"an alias bomb", bomb, "line 2: an alias: kubectl prints none"},
		{"an alias to itself", "a: &a [*a]\n", "an alias"},
		{"a merge key", "a: &a {b: c}\nd:\n  <<: *a\n", "a merge key"},
		{"a key twice", "kind: Pod\nkind: Job\n", `line 2: "kind": given twice`},
		{"a key that is a list", "? [a]\n: b\n", "a key that is no text"},
		{"text behind an end", "a: 1\n... b: 1\n", "line 2: text behind the end of a document"},
		{"deep", strings.Repeat("[", 20000), "exceeded max depth"},
		{"too much", strings.Repeat("#", maxYAML+1), "more than 16 MiB of YAML"},
	} {
		_, err := io.ReadAll(newYAMLReader(strings.NewReader(c.input)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.want)
		}
	}
	if _, err := io.ReadAll(newYAMLReader(iotest.ErrReader(os.ErrClosed))); err == nil {
		t.Error("an error of the reader is lost")
	}
}

// TestYAMLScalars: scalars have the types of YAML 1.2, as kubectl writes them.
func TestYAMLScalars(t *testing.T) {
	const input = "a: 1\nb: -2.5\nc: true\nd: null\ne: ~\nf: \"1\"\ng: yes\nh: 2026-01-02T03:04:05Z\ni: .inf\nj: 0x10\nk: 18446744073709551615\nl: |\n  x\n  y\n1: z\nm: !!binary aGk=\n"
	const want = `{"a":1,"b":-2.5,"c":true,"d":null,"e":null,"f":"1","g":"yes","h":"2026-01-02T03:04:05Z","i":".inf","j":16,"k":18446744073709551615,"l":"x\ny\n","1":"z","m":"aGk="}`
	got, err := io.ReadAll(newYAMLReader(strings.NewReader(input)))
	if err != nil || strings.TrimSpace(string(got)) != want {
		t.Errorf("%s, %v, want\n%s", got, err, want)
	}
}

// FuzzYAML: no input makes the reader panic, and its result is JSON. It is the result that
// the documents have as a whole.
func FuzzYAML(f *testing.F) {
	f.Add("a: 1\n---\nb: [x, {y: z}]\n")
	f.Add("? a\n: - b\n  - !!float 1e3\n...\n%YAML 1.1\n--- c\n")
	f.Add("a: 1\nitems:\n- b: |\n    - c\n  d: \"e\n   f\"\n# x\n-\n- - g\nkind: List\n---\nitems:\n- 1")
	f.Add("a: 1\n---\t# c\nb: 2\n... # d\nc: 3\n...\td: 4\n")
	f.Add("items: x\n---\nitems:\n-\titems:\n- items:\n  - a\n\n- ''\n...\n")
	f.Fuzz(func(t *testing.T, input string) {
		got, err := io.ReadAll(newYAMLReader(strings.NewReader(input)))
		if err != nil {
			return
		}
		values := func(text []byte) (list []any) {
			for d := json.NewDecoder(bytes.NewReader(text)); ; {
				var value any
				err := d.Decode(&value)
				if err == io.EOF {
					return list
				}
				if err != nil {
					t.Fatalf("%q gives %q: %v", input, text, err)
				}
				list = append(list, value)
			}
		}
		have := values(got)
		if want, ok := wholeYAML(input); ok && !reflect.DeepEqual(have, values(want)) {
			t.Fatalf("%q gives %q, want %q", input, got, want)
		}
	})
}

// wholeYAML converts each document at once.
func wholeYAML(input string) (text []byte, ok bool) {
	var y yamlReader
	for d := yaml.NewDecoder(strings.NewReader(input)); ; {
		var node yaml.Node
		err := d.Decode(&node)
		switch {
		case err == io.EOF:
			return y.pending.Bytes(), true
		case err != nil:
			return nil, false
		case len(node.Content) == 0 || node.Content[0].ShortTag() == "!!null":
			continue
		}
		if err := y.writeNode(node.Content[0]); err != nil {
			return nil, false
		}
		y.pending.WriteByte('\n')
	}
}
