package graph

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/internal/core/swar"
)

// TestPackedText: the graph packs a UID and a version only if they come back byte for
// byte.
func TestPackedText(t *testing.T) {
	const good = "0123abcd-4567-89ef-0a1b-c2d3e4f50617"
	g := New(Config{})
	parseUUID := func(u UID) (uid, bool) { p := g.packUID(u); return p.uid, !p.text }
	if id, ok := parseUUID(good); !ok || string(id.appendUUID(nil)) != good {
		t.Errorf("%s is read as %s, %t", good, id.appendUUID(nil), ok)
	}
	for at := range len(good) {
		for c := range 256 {
			text := good[:at] + string([]byte{byte(c)}) + good[at+1:]
			hex := strings.IndexByte("0123456789abcdef", byte(c)) >= 0 && good[at] != '-'
			if id, ok := parseUUID(UID(text)); ok != (hex || text == good) || ok && string(id.appendUUID(nil)) != text {
				t.Fatalf("%q is read as %s, %t", text, id.appendUUID(nil), ok)
			}
		}
	}
	for _, text := range []Version{"", "0", "00", "01", "+1", "-1", "1 ", "9999999999999999999", "10000000000000000000", "1.0", "१"} {
		n, ok := parseVersion(text)
		want := Version(strconv.FormatUint(n, 10)) == text
		if ok != want {
			t.Errorf("version %q is read as %d, %t", text, n, ok)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[0-9a-fA-F]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`).Draw(t, "uid")
		if id, ok := parseUUID(UID(text)); ok != (strings.ToLower(text) == text) || ok && string(id.appendUUID(nil)) != text {
			t.Fatalf("%q is read as %s, %t", text, id.appendUUID(nil), ok)
		}
	})
}

// TestDigits: a version of every length is read as its number. With another byte in any
// place it is not read.
func TestDigits(t *testing.T) {
	const digits = "1234567890987654321"
	for n := 1; n <= len(digits); n++ {
		for at := range n {
			for c := range 256 {
				text := digits[:at] + string([]byte{byte(c)}) + digits[at+1:n]
				want, err := strconv.ParseUint(text, 10, 64)
				good := err == nil && (text[0] != '0' || n == 1)
				if got, ok := parseVersion(Version(text)); ok != good || ok && got != want {
					t.Fatalf("%q is read as %d, %t; want %d, %t", text, got, ok, want, good)
				}
			}
		}
	}
}

// TestHexDigits: no two neighbours hide a byte that is no digit.
func TestHexDigits(t *testing.T) {
	const digits = "0123456789abcdef"
	for pair := range uint64(1 << 16) {
		high, low := strings.IndexByte(digits, byte(pair>>8)), strings.IndexByte(digits, byte(pair))
		for shift := 0; shift < 56; shift += 8 {
			text := uint64('0')*swar.EachByte&^(0xffff<<shift) | pair<<shift
			x, bad := hexDigits(text)
			if good := bad&highBits == 0; good != (high >= 0 && low >= 0) || good && (x != uint64(high<<8|low)<<shift || hexText(x) != text) {
				t.Fatalf("%#016x is read as %#016x, %t", text, x, good)
			}
		}
	}
}

// TestEveryForm: an object of every form comes back as it was put. A difference in any
// field shows.
func TestEveryForm(t *testing.T) {
	whole := t
	rapid.Check(t, func(t *rapid.T) {
		g := large(whole)
		text := rapid.OneOf(rapid.SampledFrom([]string{"", "x", "0", "7", "18446744073709551615", strings.Repeat("n", maxShortText), strings.Repeat("long", 300)}), rapid.String())
		uid := rapid.OneOf(text, rapid.StringMatching(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`))
		number := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64())
		owner := rapid.Custom(func(t *rapid.T) Owner {
			return Owner{
				Key: Key{
					Kind: Kind(text.Draw(t, "kind")), Scope: text.Draw(t, "scope"),
					Name: text.Draw(t, "name"), UID: UID(uid.Draw(t, "uid")),
				},
				Unresolved: rapid.Bool().Draw(t, "unresolved"), Block: rapid.Bool().Draw(t, "block"), Controller: rapid.Bool().Draw(t, "controller"),
			}
		})
		k := Key{Kind: "a", Name: "n" + text.Draw(t, "name"), UID: "u" + UID(uid.Draw(t, "uid"))}
		var last Object
		for range rapid.IntRange(1, 5).Draw(t, "puts") {
			o := Object{Key: k, Version: Version(rapid.SampledFrom([]string{"1", "2", "01", "x", strings.Repeat("v", 300)}).Draw(t, "version")),
				Owners: rapid.SliceOfN(owner, 0, 3).Draw(t, "owners"), Finalizers: rapid.SliceOfN(text, 0, 3).Draw(t, "finalizers"),
				Deleting: rapid.Bool().Draw(t, "deleting"), GraceSeconds: number.Draw(t, "grace"),
				Generation: number.Draw(t, "generation"), ObservedGeneration: number.Draw(t, "observed")}
			d := apply(whole, g, Event{Type: Put, Object: o})
			if d.Version == last.Equal(o) {
				t.Fatalf("a change is told: %t, from %v to %v", d.Version, last, o)
			}
			if got := g.Node(d.Node).Object(); !got.Equal(o) {
				t.Fatalf("put %v, got %v", o, got)
			}
			last = o.Clone()
			if err := g.Check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestMemoryReturns: nodes that leave the graph leave no page, text, segment or place
// behind.
func TestMemoryReturns(t *testing.T) {
	g := large(t)
	key := func(i int) Key {
		return Key{Kind: "a", Name: fmt.Sprint("name-", i), UID: UID(fmt.Sprintf("%08x-0000-0000-0000-000000000000", i))}
	}
	const many = 20_000
	for i := range many {
		apply(t, g, Event{Type: Put, Object: Object{Key: key(i), Version: "1", Owners: []Owner{{Key: key(i / 10)}}}})
	}
	if n := len(g.index.dir); n < many/(segmentBuckets*bucketIDs) {
		t.Errorf("%d segments for %d nodes", n, many)
	}
	if err := g.Check(); err != nil {
		t.Fatal(err)
	}
	c := g.Clone()
	for i := range many {
		apply(t, g, Event{Type: Gone, Key: key(many - 1 - i)})
		if i%5000 == 0 {
			if err := g.Check(); err != nil {
				t.Fatal(err)
			}
		}
	}
	room := 0
	for i := range g.pages {
		room += cap(g.pages[i].nodes) + cap(g.pages[i].text) + cap(g.pages[i].records)
	}
	if err := g.Check(); err != nil || g.Len() != 0 || len(g.index.dir) > 1 || len(g.places) > 3 || room > 64<<10 {
		t.Errorf("%d nodes, %d segments, %d places, room for %d, %v", g.Len(), len(g.index.dir), len(g.places), room, err)
	}
	if err := c.Check(); err != nil || c.Len() != many {
		t.Errorf("the clone has %d nodes, %v", c.Len(), err)
	}
}

// TestNamesReturn: invented kinds and scopes go with their last reference, in every
// order, and leave no memory behind.
func TestNamesReturn(t *testing.T) {
	for _, backwards := range []bool{false, true} {
		g := large(t)
		const many = 5000
		key := func(i int) Key { return Key{Kind: "a", Name: fmt.Sprint(i), UID: UID(fmt.Sprint(i))} }
		for i := range many {
			owner := Key{Kind: Kind(fmt.Sprint("kind-", i/2)), Name: "x", UID: UID(fmt.Sprint("of-", i))}
			if i%2 > 0 {
				owner.Kind, owner.Scope = "b", fmt.Sprint("scope-", i)
			}
			apply(t, g, Event{Type: Put, Object: Object{Key: key(i), Version: "1", Owners: []Owner{{Key: owner}}}})
		}
		for i := range many {
			if backwards {
				i = many - 1 - i
			}
			apply(t, g, Event{Type: Gone, Key: key(i)})
		}
		if err := g.Check(); err != nil || len(g.kinds)+len(g.places) > 2*minNames || g.maxNames > minNames {
			t.Errorf("backwards %v: %d kinds, %d places, room for %d, %v", backwards, len(g.kinds), len(g.places), g.maxNames, err)
		}
	}
}

// TestPageFullOfText: 512 of the longest names of a page fit into one page.
func TestPageFullOfText(t *testing.T) {
	g := large(t)
	key := func(i int) Key {
		return Key{Kind: "a", Name: fmt.Sprintf("%0*d", maxShortText, i), UID: UID(fmt.Sprintf("%08x-0000-0000-0000-000000000000", i))}
	}
	for i := range 3 * pageNodes {
		apply(t, g, Event{Type: Put, Object: Object{Key: key(i), Version: "1"}})
	}
	if n := len(g.pages[1].text); n < pageNodes*maxShortText {
		t.Errorf("the page keeps %d bytes", n)
	}
	for i := range 3 * pageNodes {
		if _, ok := g.Lookup(key(i)); !ok {
			t.Fatalf("object %d is not found", i)
		}
	}
	if err := g.Check(); err != nil {
		t.Error(err)
	}
}

// TestChurn: objects that come and go, and change their text, do not make the graph grow.
func TestChurn(t *testing.T) {
	g := large(t)
	put := func(i, version int) {
		k := Key{Kind: "a", Name: strings.Repeat("n", 20+version%20), UID: UID(fmt.Sprintf("%08x-0000-0000-0000-%012x", i, version))}
		apply(t, g, Event{Type: Put, Object: Object{Key: k, Version: Version(strings.Repeat("v", 1+version%7))}})
	}
	gone := func(i, version int) {
		k := Key{Kind: "a", Name: strings.Repeat("n", 20+version%20), UID: UID(fmt.Sprintf("%08x-0000-0000-0000-%012x", i, version))}
		apply(t, g, Event{Type: Gone, Key: k})
	}
	const many = 5000
	size := func() (n int) {
		for i := range g.pages {
			n += cap(g.pages[i].nodes)*64 + cap(g.pages[i].text) + cap(g.pages[i].records)*20
		}
		return n + len(g.index.dir)*segmentBuckets*64
	}
	for i := range many {
		put(i, i)
	}
	before := size()
	for round := range 10 {
		for i := range many {
			gone(i, i+round)
			put(i, i+round+1)
		}
	}
	if err := g.Check(); err != nil || g.Len() != many || size() > before*105/100 {
		t.Errorf("%d nodes, %d bytes after %d, %v; want at most 5%% more", g.Len(), size(), before, err)
	}
}

// TestTextGap: a new name takes the space of a former name of the same length. A gone
// object leaves a shorter text. Neither grows or copies the page's text.
func TestTextGap(t *testing.T) {
	g := large(t)
	key := func(life, i int) Key {
		return Key{Kind: "a", Name: fmt.Sprintf("pod-%d-%08d", life, i), UID: UID(fmt.Sprintf("%08x-0000-0000-0000-%012x", i, life))}
	}
	const many = 3*pageNodes - 1 // with node 0 the pages are full
	put := func(life, i int) {
		o := Object{Key: key(life, i), Version: "1", Generation: 200}
		if i%8 > 0 {
			o.Owners = []Owner{{Key: key(1, i&^7)}}
		}
		apply(t, g, Event{Type: Put, Object: o})
	}
	texts := func() (at []*byte, n int) {
		for i := range g.pages {
			at, n = append(at, unsafe.SliceData(g.pages[i].text)), n+len(g.pages[i].text)
		}
		return at, n
	}
	for i := range many {
		put(1, i)
	}
	before, size := texts()
	for i := range many {
		apply(t, g, Event{Type: Gone, Key: key(1, i)}) // every eighth node stays as a phantom
		if i%8 > 0 {
			put(2, i)
		}
	}
	if after, now := texts(); !slices.Equal(after, before) || now != size {
		t.Errorf("%d bytes of text after %d, copied: %t", now, size, !slices.Equal(after, before))
	}
	if err := g.Check(); err != nil {
		t.Error(err)
	}
}

// TestPrefetch: Prefetch changes nothing, for events of every type.
func TestPrefetch(t *testing.T) {
	g := sample(t)
	before := g.Clone()
	var events []Event
	for n := range g.Nodes() {
		events = append(events, Event{Type: Put, Object: n.Object()}, Event{Type: Gone, Key: n.Key()})
	}
	for i := range 100 {
		events = append(events, Event{Type: Put, Object: Object{Key: numbered(i)}}, Event{Type: ListBegun, Kind: "a"}, Event{})
	}
	g.inner().Prefetch(events)
	if err := g.Check(); err != nil || recordsChanged(before, g) != 0 || g.Len() != before.Len() {
		t.Errorf("%d records changed, %d nodes of %d, %v", recordsChanged(before, g), g.Len(), before.Len(), err)
	}
}

// TestPrefetchKeepsNoText: the results of Prefetch and the last owner keep no memory of a
// caller.
func TestPrefetchKeepsNoText(t *testing.T) {
	for f := range reflect.TypeFor[prefetchedKey]().NumField() {
		switch field := reflect.TypeFor[prefetchedKey]().Field(f); field.Type.Kind() {
		case reflect.Bool, reflect.Uint32, reflect.Uint64, reflect.Struct, reflect.Array:
		default:
			t.Errorf("%s is a %s", field.Name, field.Type)
		}
	}
	if uidType := reflect.TypeFor[uid](); uidType.Field(0).Type.Kind() != reflect.Uint64 || uidType.Size() != 16 {
		t.Errorf("%s is not two numbers", uidType)
	}
}
