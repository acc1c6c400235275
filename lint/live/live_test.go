package live_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
	"github.com/ownergraph/ownergraph/lint/live"
)

func kinds() []lint.Kind {
	return []lint.Kind{
		{KindInfo: graph.KindInfo{Kind: "node"}, Listed: true},
		{KindInfo: graph.KindInfo{Kind: "pod", Scoped: true}, Listed: true},
		{KindInfo: graph.KindInfo{Kind: "set", Scoped: true}, Listed: true},
		{KindInfo: graph.KindInfo{Kind: "event", Scoped: true, NoOwner: true}, Listed: true},
		{KindInfo: graph.KindInfo{Kind: "metric", Scoped: true, Unwatched: true}, Reason: "not watched"},
	}
}

// faulty has a fault of most codes, without shared UIDs, which no memory store takes.
const faulty = `node/n#1; pod/s/a#1 -> set/s/gone; pod/s/b#1 -> set/s/gone, node/n; pod/s/c#1 -> metric/s/m;
	pod/s/d#1 -> x/s/o; pod/s/e#1 -> pod/s/e; pod/s/f#1 -> set/t/o@o; set/t/o@o#1; pod/t/g#1 -> set/t/p@o; pod/t/h#1 -> pod/t/o@o;
	node/m#1 -> pod/s/a; pod/r/a#1 -> pod/r/b!; pod/r/b#1 -> pod/r/a!; pod/q/a#1~[foreground] -> pod/q/b!; pod/q/b#1 -> pod/q/a!;
	pod/p/a#1~[f]; pod/p/b#1 -> pod/p/a!; pod/o/a#1~[foreground]; pod/o/b#1~[f] -> pod/o/a!; set/n/a#1; pod/n/a#1 -> event/n/e; event/n/e#1;
	pod/n/b#1 -> set/n/gone^, node/n; pod/n/c#1 -> set/n/a@u?; pod/n/d#1[orphan,foreground]; pod/n/e#1 -> set/n/a, set/n/a;
	pod/n/f#1 -> set/n/a^, node/n^`

func parse(t *testing.T, text string) []graph.Object {
	t.Helper()
	list, err := graph.Parse(strings.Join(strings.Fields(text), " "))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func dump(objects []graph.Object, kinds []lint.Kind) lint.Input {
	in := lint.Input{Kinds: kinds}
	for _, o := range objects {
		in.Objects = append(in.Objects, lint.Object{Object: o})
	}
	return in
}

func check(t *testing.T, in lint.Input) string {
	t.Helper()
	r, err := lint.Check(in, lint.Config{Handlers: []string{"g"}, OwnedKinds: []graph.Kind{"set"}, MaxDependents: 2})
	if err != nil {
		t.Fatal(err)
	}
	return r.String()
}

// script is a store that reports events by hand.
type script struct {
	watches [][]graph.Event
	err     error
	begun   int
}

func (s *script) Watch(ctx context.Context, sink func([]graph.Event) error) error {
	if s.begun == len(s.watches) {
		if s.err != nil {
			return s.err
		}
		<-ctx.Done()
		return ctx.Err()
	}
	s.begun++
	for _, e := range s.watches[s.begun-1] {
		if err := sink([]graph.Event{e}); err != nil {
			return fmt.Errorf("sink: %w", err)
		}
	}
	return nil
}

// listing returns the events of a watch that lists the objects.
func listing(objects []graph.Object, kinds []lint.Kind) []graph.Event {
	var infos []graph.KindInfo
	for _, k := range kinds {
		infos = append(infos, k.KindInfo)
	}
	events := []graph.Event{{Type: graph.KindsKnown, Kinds: infos}}
	for _, k := range kinds {
		if k.Unwatched {
			continue
		}
		events = append(events, graph.Event{Type: graph.ListBegun, Kind: k.Kind})
		for _, o := range objects {
			if o.Kind == k.Kind {
				events = append(events, graph.Event{Type: graph.Put, Object: o})
			}
		}
		events = append(events, graph.Event{Type: graph.ListEnded, Kind: k.Kind})
	}
	return events
}

// TestSameFindings: the objects as a dump and in a running store have the same findings.
func TestSameFindings(t *testing.T) {
	objects := parse(t, faulty)
	want := check(t, dump(objects, kinds()))
	for _, code := range []string{"OG001", "OG002", "OG004", "OG005", "OG006", "OG007", "OG008", "OG009", "OG011", "OG012", "OG013", "OG015", "OG017", "OG018", "OG019", "OG020", "OG021", "OG022", "OG023", "OG026", "OG028", "OG029"} {
		if !strings.Contains(want, code) {
			t.Errorf("the dump has no finding %s:\n%s", code, want)
		}
	}
	var infos []graph.KindInfo
	for _, k := range kinds() {
		infos = append(infos, k.KindInfo)
	}
	store, err := memory.New(memory.Config{Kinds: infos, Objects: objects})
	if err != nil {
		t.Fatal(err)
	}
	in, err := live.Observe(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	if got := check(t, in); got != want {
		t.Errorf("findings of the store:\n%s\nof the dump:\n%s", got, want)
	}
}

// TestObserve: the input follows the watch to its state at the end of the last listing.
func TestObserve(t *testing.T) {
	objects := parse(t, "node/n#1; pod/s/a@u#1; set/s/a@u#1; pod/s/b#1 -> set/s/c")
	full := listing(objects, kinds())
	sick := slices.DeleteFunc(slices.Clone(full), func(e graph.Event) bool { return e.Of() == "set" })
	sick = append(sick, graph.Event{Type: graph.KindSick, Kind: "set", Reason: "forbidden"})
	sickKinds := kinds()
	sickKinds[2].Listed, sickKinds[2].Reason = false, "forbidden"
	part := full[:len(full)-1] // the last kind is not listed
	vanished := append(slices.Clone(part), graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "node"}, {Kind: "pod", Scoped: true}}})
	for _, c := range []struct {
		watches [][]graph.Event
		want    lint.Input
		reason  string
	}{
		{[][]graph.Event{full}, dump(objects, kinds()), "one listing"},
		{[][]graph.Event{part, full}, dump(objects, kinds()), "the store ends its first watch in order"},
		{[][]graph.Event{part, listing(objects[:1], kinds())}, dump(objects[:1], kinds()), "the second listing lacks objects of the first"},
		{[][]graph.Event{sick}, dump([]graph.Object{objects[0], objects[1], objects[3]}, sickKinds), "a sick kind is not listed"},
		{[][]graph.Event{vanished}, dump(objects, kinds()[:2]), "a kind that vanished leaves its objects"},
	} {
		in, err := live.Observe(t.Context(), &script{watches: c.watches})
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if got, want := check(t, in), check(t, c.want); got != want {
			t.Errorf("%s: findings\n%s\nwant\n%s", c.reason, got, want)
		}
		if len(in.Objects) != len(c.want.Objects) {
			t.Errorf("%s: %d objects, want %d", c.reason, len(in.Objects), len(c.want.Objects))
		}
	}
}

func TestObserveErrors(t *testing.T) {
	broken := errors.New("broken")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	part := listing(nil, kinds())[:2]
	for _, c := range []struct {
		ctx    context.Context
		store  *script
		want   error
		text   string
		reason string
	}{
		{t.Context(), &script{err: broken}, broken, "observe store: broken", "the watch breaks"},
		{ended, &script{}, context.Canceled, "observe store: context canceled", "the caller ends the wait"},
		{t.Context(), &script{watches: [][]graph.Event{{{Type: graph.Put, Object: graph.Object{}}}}}, graph.ErrInvalid,
			`observe store: sink: apply put: ""/"": version: empty: invalid`, "an event that no store may report"},
		{t.Context(), &script{watches: slices.Repeat([][]graph.Event{part}, 16)}, nil,
			"observe store: 16 watches ended before every kind was listed", "a store that never lists"},
	} {
		_, err := live.Observe(c.ctx, c.store)
		if err == nil || c.want != nil && !errors.Is(err, c.want) || err.Error() != c.text {
			t.Errorf("%s: error %v, want %s", c.reason, err, c.text)
		}
	}
}
