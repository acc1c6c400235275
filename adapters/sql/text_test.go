package sqlstore

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
)

var textSeed = flag.Uint64("text.seed", 0, "the seed of TestHostileNames; 0 draws one")

// hostile returns names that break stores.
func hostile(r *rand.Rand) []string {
	list := []string{
		`'; DROP TABLE og_objects; --`, `" OR 1=1 --`, `$1`, `?1`, `:name`, `\`, `\x00`, "a\x00b", "\xff\xfe", "a\xc3", "", " ", "\t", "\n",
		`%`, `_`, `NULL`, `null`, `{"a":1}`, `{a,b}`, `\N`, strings.Repeat("x", 1<<20), strings.Repeat("é", 512), strings.Repeat("é", 513),
		"\u202e", "\ufeff", "\U0010ffff", "\ud7ff\ue000", "🙂", "İi", "ß", "ẞ", "ſ", "ǅ",
	}
	for _, s := range []string{"Å", "ﬁ", "ạ̈", "㎏", "한글", "ﷺ", "é", "Ω"} {
		list = append(list, norm.NFC.String(s), norm.NFD.String(s), norm.NFKC.String(s), norm.NFKD.String(s))
	}
	for range 200 {
		var b strings.Builder
		for range 1 + r.IntN(12) {
			switch r.IntN(4) {
			case 0:
				b.WriteByte(byte(r.IntN(256)))
			case 1:
				b.WriteRune(rune(r.IntN(0x110000)))
			default:
				b.WriteString([]string{"'", `"`, ";", "a", "A", "\u0301", "--", "/*", "$", "?"}[r.IntN(10)])
			}
		}
		list = append(list, b.String())
	}
	return list
}

// TestHostileNames writes hostile text as a name, a scope, a finalizer and a part of a
// reference. Each is refused as invalid, or stored byte by byte.
func TestHostileNames(t *testing.T) {
	seed := *textSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-text.seed=%d", seed)
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		taken := map[graph.Key]bool{}
		for i, text := range hostile(rand.New(rand.NewPCG(seed, 0))) {
			owner := graph.Owner{Key: graph.Key{Kind: graph.Kind(text), Scope: text, Name: text, UID: graph.UID(text)}}
			for j, o := range []graph.Object{
				object("bucket", "one", text), object("bucket", text, "a"), object(graph.Kind(text), "", "a"),
				{Key: object("bucket", "f", fmt.Sprint(i)).Key, Finalizers: []string{text}},
				{Key: object("bucket", "o", fmt.Sprint(i)).Key, Owners: []graph.Owner{owner}},
			} {
				made, err := h.Create(t.Context(), o)
				switch {
				case errors.Is(err, graph.ErrConflict) && taken[o.Key], errors.Is(err, graph.ErrKindUnknown) && j == 2:
					continue
				case err != nil:
					if !errors.Is(err, graph.ErrRefused) || !errors.Is(err, graph.ErrInvalid) {
						t.Errorf("%d, %.40q: %v, want ErrRefused and ErrInvalid", j, text, err)
					}
					continue
				}
				taken[o.Key] = true
				now, err := h.Get(t.Context(), o.Key)
				o.Key, o.Version, o.Generation = made.Key, made.Version, made.Generation
				if len(o.Owners) > 0 {
					o.Owners[0].Unresolved = true
				}
				if err != nil || !now.Equal(o) {
					t.Errorf("%d, %.40q: stored as %v, %v", j, text, now, err)
				}
			}
			for _, key := range []graph.Key{{Kind: "bucket", Scope: text, Name: "absent"}, {Kind: "bucket", Scope: "absent", Name: text}} {
				if _, err := h.Get(t.Context(), key); !errors.Is(err, graph.ErrNotFound) {
					t.Errorf("Get of %.40q, which is absent: %v", text, err)
				}
				if err := h.Delete(t.Context(), key, graph.DeleteOptions{Precondition: graph.Precondition{UID: graph.UID(text), Version: graph.Version(text)}}); !errors.Is(err, graph.ErrNotFound) {
					t.Errorf("Delete of %.40q, which is absent: %v", text, err)
				}
			}
		}
		content := h.contentOf(t)
		h.watch(t).until(t, "the watch lists every object byte by byte", func(events []graph.Event) bool { return agree(replayed(events), content) })
	})
}

// TestResolveAsMemory resolves references of every shape as the memory store does.
func TestResolveAsMemory(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		ref, err := memory.New(memory.Config{Kinds: kindsOfTests()})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, dep := range []graph.Key{{Kind: "team"}, {Kind: "bucket", Scope: "one"}} {
			for _, kind := range []graph.Kind{"team", "bucket", "note", "none"} {
				for _, scope := range []string{"", "one", "two"} {
					for _, unresolved := range []bool{false, true} {
						n++
						dep.Name = fmt.Sprint(n)
						o := graph.Object{Key: dep, Owners: []graph.Owner{{Key: graph.Key{Kind: kind, Scope: scope, Name: "x", UID: "u"}, Unresolved: unresolved, Block: true}}}
						mine, err := h.Create(t.Context(), o)
						its, itsErr := ref.Create(t.Context(), o)
						if (err == nil) != (itsErr == nil) || fmt.Sprint(mine.Owners) != fmt.Sprint(its.Owners) {
							t.Errorf("%v: %v, %v, the memory store has %v, %v", o, mine.Owners, err, its.Owners, itsErr)
						}
					}
				}
			}
		}
	})
}
