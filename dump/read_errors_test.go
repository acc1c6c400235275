package dump

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReadErrors(t *testing.T) {
	with := func(old, new string) string { return strings.Replace(pod("a"), old, new, 1) }
	owned := func(ref string) string { return with(`"uid"`, `"ownerReferences":[`+ref+`],"uid"`) }
	tests := []struct{ name, reason, input, want string }{
		{"empty", "an empty file is a mistake", " \n", `no object in 0 documents`},
		{"empty lists", "so is a listing of nothing", `{"kind":"List","items":[]}`, `no object in 1 documents`},
		{"array", "the output of jq -s is no cluster", `[` + pod("a") + `]`, `document 1: want an object or a List, have an array`},
		{"text", "some other JSON", pod("a") + `"b"`, `document 2: want an object or a List, have text`},
		{"number", "some other JSON", `12`, `document 1: want an object or a List, have 12`},
		{"null", "some other JSON", `null`, `document 1: want an object or a List, have null`},
		{"yaml", "kubectl -o yaml is a likely mistake", "apiVersion: v1\n", `document 1: not JSON: invalid character 'a' looking for beginning of value`},
		{"cut in a text", "a download may end early", `{"kind":"Po`, `document 1: kind: truncated: unexpected EOF`},
		{"cut in metadata", "the field under way is named", pod("a")[:60], `document 1 (Pod): metadata: truncated: unexpected EOF`},
		{"cut behind a field", "the object is named as soon as its name is known", strings.TrimSuffix(pod("a"), "}"), `document 1 (Pod/n/a): truncated: unexpected EOF`},
		{"cut between items", "a list without its end is not whole", `{"items":[` + pod("a") + `,`, `document 1, items[1]: truncated: unexpected EOF`},
		{"wrong bracket", "a broken file", `{"items":[` + pod("a") + `}`, `document 1, items[0]: not JSON: invalid character '}' after array element`},
		{"no kind", "an object has a kind", with(`"kind":"Pod",`, ``), `document 1 (n/a): kind: missing`},
		{"no apiVersion", "without it the group would be a guess", with(`"apiVersion":"v1",`, ``), `document 1 (Pod/n/a): apiVersion: missing`},
		{"bad apiVersion", "it has one slash at most", with(`"v1"`, `"a/b/c"`), `document 1 (Pod/n/a): apiVersion: a/b/c: want GROUP/VERSION or VERSION`},
		{"no name", "nothing could refer to it", with(`"name":"a",`, ``), `document 1 (Pod/n): metadata.name: missing`},
		{"no uid", "without it no incarnation is named", with(`,"uid":"uid-a"`, ``), `document 1 (Pod/n/a): metadata.uid: missing`},
		{"no metadata", "an object of another world", `{"apiVersion":"v1","kind":"Pod"}`, `document 1 (Pod): metadata.name: missing`},
		{"empty object", "no field at all", `{}`, `document 1: kind: missing`},
		{"no namespace", "a Pod without one would be global", with(`"namespace":"n",`, ``), `document 1 (Pod/a): metadata.namespace: missing: objects of this kind have one`},
		{"namespace of a node", "a Node with one would be scoped", with(`Pod`, `Node`), `document 1 (Node/n/a): metadata.namespace: n: objects of this kind have none`},
		{"mixed kind", "the first object decides the scope of an unknown kind", with(`Pod`, `X`) + `{"apiVersion":"v1","kind":"X","metadata":{"name":"b","uid":"b"}}`,
			`document 2 (X/b): metadata.namespace: missing: objects of this kind have one`},
		{"second at a place", "one place has one object", pod("a") + with(`uid-a`, `other`), `document 2 (Pod/n/a): metadata.name: a second object at this place, the first has UID uid-a`},
		{"second of a UID", "one UID names one object", `{"kind":"List","items":[` + pod("a") + `,` + with(`"a"`, `"b"`) + `]}`,
			`document 1, items[1] (Pod/n/b): metadata.uid: uid-a is the UID of Pod/n/a too (if two API groups serve one object, leave one out)`},
		{"kind is a number", "a wrong type is not guessed at", with(`"Pod"`, `5`), `document 1: kind: want text, have number`},
		{"metadata is text", "a wrong type is not guessed at", `{"kind":"Pod","metadata":"x"}`, `document 1 (Pod): metadata: want an object, have string`},
		{"uid is a number", "the path to the field is given", with(`"uid-a"`, `5`), `document 1 (Pod/n/a): metadata.uid: want text, have number`},
		{"generation is a fraction", "the path to the field is given", with(`"uid"`, `"generation":1.5,"uid"`), `document 1 (Pod/n/a): metadata.generation: want an integer, have number 1.5`},
		{"owners are an object", "the path to the field is given", with(`"uid"`, `"ownerReferences":{},"uid"`), `document 1 (Pod/n/a): metadata.ownerReferences: want an array, have object`},
		{"block is text", "the path to the field is given", owned(`{"blockOwnerDeletion":"yes"}`), `document 1 (Pod/n/a): metadata.ownerReferences.blockOwnerDeletion: want true or false, have string`},
		{"items are an object", "the error has the right type", `{"kind":"List","items":{}}`, `document 1 (List): items: want an array, have an object`},
		{"items are text", "a wrong type is not guessed at", `{"kind":"List","items":"x"}`, `document 1 (List): items: want an array, have text`},
		{"item is text", "the item is numbered", `{"kind":"List","items":[` + pod("a") + `,"x"]}`, `document 1, items[1]: want an object, have text`},
		{"nested item", "the way to the item is given", `{"kind":"List","items":[{"kind":"List","items":[` + pod("a") + `,{}]}]}`, `document 1, items[0], items[1]: kind: missing`},
		{"owner without kind", "the reference is numbered", owned(`{"apiVersion":"v1","name":"o","uid":"u"}`), `document 1 (Pod/n/a): metadata.ownerReferences[0].kind: missing`},
		{"owner without group", "the kind would be a guess", owned(`{"kind":"Job","name":"o","uid":"u"}`), `document 1 (Pod/n/a): metadata.ownerReferences[0].apiVersion: missing`},
		{"owner without name", "it could not be looked up", owned(`{"apiVersion":"v1","kind":"Pod","uid":"u"}`), `document 1 (Pod/n/a): metadata.ownerReferences[0].name: missing`},
		{"owner without uid", "any incarnation would do", owned(`{"apiVersion":"v1","kind":"Pod","name":"u"}`), `document 1 (Pod/n/a): metadata.ownerReferences[0].uid: missing`},
		{"empty finalizer", "no client could remove it", with(`"uid"`, `"finalizers":["a/b",""],"uid"`), `document 1 (Pod/n/a): metadata.finalizers[1]: missing`},
		{"negative grace", "time does not run backwards", with(`"uid"`, `"deletionGracePeriodSeconds":-1,"uid"`), `document 1 (Pod/n/a): metadata.deletionGracePeriodSeconds: -1: negative`},
		{"escape in a name", "a name must not steer the terminal", with(`"a"`, `"a\u001b[2J"`), `document 1 (Pod/n/"a\x1b[2J"): metadata.name: "a\x1b[2J": a character that no name has`},
		{"slash in a name", "it could not be typed back", with(`"a"`, `"a/b"`), `document 1 (Pod/n/"a/b"): metadata.name: "a/b": a character that no name has`},
		{"long name", "a name is bounded", with(`"a"`, `"`+strings.Repeat("a", maxName+1)+`"`), `metadata.name: longer than 1024 bytes`},
		{"items of another kind", "items before the kind were taken for a list's", `{"items":[],"kind":"Pod"}`, `document 1 (Pod): items: Pod is not a list kind, and its items come before its kind`},
		{"items without kind", "the kind says that it is a list", `{"items":[]}`, `document 1: kind: missing`},
		{"list with a name", "an object whose kind ends in List, with items of its own", `{"kind":"AllowList","metadata":{"name":"x"},"items":[]}`, `document 1 (AllowList/x): metadata.name: x: a list has no name`},
		{"one page", "the objects of the next page would count as absent", `{"kind":"PodList","metadata":{"continue":"t"},"items":[]}`, `document 1 (PodList): metadata.continue: this is one page of a longer list`},
		{"twice", "the second would hide the first", with(`"kind"`, `"kind":"Job","kind"`), `document 1 (Job): kind: given twice`},
		{"twice in metadata", "the second would hide the first", with(`"uid"`, `"uid":"b","uid"`), `document 1 (Pod/n/a): metadata.uid: given twice`},
		{"owners twice", "the second would hide owners", with(`"uid"`, `"ownerReferences":[],"ownerReferences":null,"uid"`), `document 1 (Pod/n/a): metadata.ownerReferences: given twice`},
		{"twice in an owner", "the second would hide the first", owned(`{"apiVersion":"v1","kind":"Pod","name":"o","uid":"u","uid":"v"}`), `document 1 (Pod/n/a): metadata.ownerReferences.uid: given twice`},
		{"another spelling", "a server takes no other spelling", with(`"uid"`, `"UID"`), `document 1 (Pod/n/a): metadata.uid: "UID" is another field`},
		{"twice behind a label", "no text hides a field", with(`"uid"`, `"labels":{"b":"\"{","a":"\\"},"uid":"b","uid"`), `document 1 (Pod/n/a): metadata.uid: given twice`},
		{"broken text", "another name would have the same spelling", with(`"a"`, "\"a\xff\""), "document 1 (Pod/n/\"a\uFFFD\"): metadata.name: \"a\uFFFD\": a character that no name has"},
		{"an escaped name", "an escape hides no field", with(`"uid"`, `"\u0075id":"b","uid"`), `document 1 (Pod/n/a): metadata.uid: given twice`},
		{"huge number", "a text of a megabyte helps no reader", with(`"uid"`, `"generation":`+strings.Repeat("9", 1<<20)+`,"uid"`),
			`document 1 (Pod/n/a): metadata.generation: want an integer, have "number ` + strings.Repeat("9", 113) + `"`},
		{"huge document", "a number is no document, of any size", strings.Repeat("9", 1<<20), `document 1: want an object or a List, have "` + strings.Repeat("9", 120) + `"`},
		{"items are a number", "no number is wanted", `{"kind":"List","items":1e999}`, `document 1 (List): items: want an array, have 1e999`},
		{"item is a number", "no number is wanted", `{"kind":"List","items":[1e999]}`, `document 1, items[0]: want an object, have 1e999`},
		{"lists in lists", "depth is bounded", strings.Repeat(`{"kind":"List","items":[`, 100), `more than 16 lists in each other`},
		{"cut in status", "the field under way is named", pod("a")[:85] + `,"status":{`, `document 1 (Pod/n/a): status: truncated: unexpected EOF`},
		{"cut before items", "the field under way is named", `{"items":`, `document 1: items: truncated: unexpected EOF`},
		{"slash in a namespace", "it could not be typed back", with(`"n"`, `"n/m"`), `document 1 (Pod/"n/m"/a): metadata.namespace: "n/m": a character that no name has`},
		{"item without apiVersion", "the version of a List is not that of its items", `{"apiVersion":"v1","kind":"List","items":[` + with(`"apiVersion":"v1",`, ``) + `]}`,
			`document 1, items[0] (Pod/n/a): apiVersion: missing`},
		{"deep payload", "depth is bounded", `{"spec":` + strings.Repeat(`[`, 20000), `document 1: spec: not JSON: invalid character '[' exceeded max depth`},
	}
	offset := regexp.MustCompile(`, byte \d+`)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read(strings.NewReader(tt.input), "input")
			if err == nil {
				t.Fatalf("no error: %s", tt.reason)
			}
			if got := offset.ReplaceAllString(err.Error(), ""); !strings.HasPrefix(got, "read input: ") || !strings.HasSuffix(got, tt.want) {
				t.Errorf("error:\n%s\nwant:\n%s\n%s", got, tt.want, tt.reason)
			}
		})
	}
}

func TestReadListDepth(t *testing.T) {
	nest := func(n int) string {
		return strings.Repeat(`{"kind":"List","items":[`, n) + pod("a") + strings.Repeat(`]}`, n)
	}
	if _, err := Read(strings.NewReader(nest(maxLists)), "input"); err != nil {
		t.Errorf("%d lists in each other: %v", maxLists, err)
	}
	if _, err := Read(strings.NewReader(nest(maxLists+1)), "input"); err == nil {
		t.Errorf("%d lists in each other: no error", maxLists+1)
	}
}

// TestReadErrorOffset: the offset leads to the object, or to the one behind it.
func TestReadErrorOffset(t *testing.T) {
	before, broken := "\ufeff"+pod("a")+"\n", strings.Replace(pod("b"), `"kind":"Pod",`, ``, 1)
	_, err := Read(strings.NewReader(before+broken+pod("c")), "input")
	want := fmt.Sprintf("read input: document 2 (n/b), byte %d: kind: missing", len(before+broken))
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestReadLimit(t *testing.T) {
	input := pod("a") + pod("b")
	if _, err := readUpTo(strings.NewReader(input), "input", int64(len(input))); err != nil {
		t.Errorf("input of exactly the limit: %v", err)
	}
	for limit := range int64(len(input)) {
		_, err := readUpTo(strings.NewReader(input), "input", limit)
		if !errors.Is(err, ErrTooLarge) {
			t.Fatalf("limit %d of %d bytes: %v, want %v", limit, len(input), err, ErrTooLarge)
		}
	}
}

func TestReadReadError(t *testing.T) {
	broken := errors.New("disk on fire")
	_, err := Read(iotest.ErrReader(broken), "input")
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}
