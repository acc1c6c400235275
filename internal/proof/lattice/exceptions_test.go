package lattice

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ratchets is the file of the numbers that only go down.
const ratchets = "ratchets.txt"

// read returns the lines of a list in testdata, without comments.
func read(t *testing.T, name string) (head []string, lines []string) {
	t.Helper()
	for line := range strings.Lines(readSample(t, name)) {
		if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "#") {
			head = append(head, line)
		} else if line != "" {
			lines = append(lines, line)
		}
	}
	return head, lines
}

func write(t *testing.T, name string, head, lines []string) {
	t.Helper()
	text := strings.Join(append(slices.Clone(head), lines...), "\n") + "\n"
	if err := os.WriteFile(filepath.Join("testdata", name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// onlyShrinks compares breaches, by their keys, with a list of exceptions. A
// breach outside the list is an error, and so is an entry without a breach. With
// -update, an entry follows a breach whose directory moved.
func onlyShrinks(t *testing.T, name string, breaches map[string]string, moved func(from, to string) bool) {
	t.Helper()
	head, listed := read(t, name)
	unlisted, unneeded := compare(listed, breaches)
	if *update {
		listed = follow(listed, unlisted, unneeded, moved)
		unlisted, unneeded = compare(listed, breaches)
		write(t, name, head, listed)
	}
	for _, key := range unlisted {
		t.Error(breaches[key])
	}
	if len(unneeded) == 0 {
		return
	}
	if *update {
		write(t, name, head, slices.DeleteFunc(listed, func(key string) bool { return slices.Contains(unneeded, key) }))
		return
	}
	t.Errorf("testdata/%s has entries that are no longer needed; go test ./%s -update removes them:\n%s",
		name, here(), strings.Join(unneeded, "\n"))
}

// follow replaces each entry whose breach has moved by the entry of the new place.
func follow(listed, unlisted, unneeded []string, moved func(from, to string) bool) []string {
	listed = slices.Clone(listed)
	for _, from := range unneeded {
		i := slices.IndexFunc(unlisted, func(to string) bool { return moved(from, to) })
		if i >= 0 {
			listed[slices.Index(listed, from)] = unlisted[i]
			unlisted = slices.Delete(slices.Clone(unlisted), i, i+1)
		}
	}
	return listed
}

// compare returns the breaches that no entry excuses, and the entries that
// excuse no breach.
func compare(listed []string, breaches map[string]string) (unlisted, unneeded []string) {
	for _, key := range slices.Sorted(maps.Keys(breaches)) {
		if !slices.Contains(listed, key) {
			unlisted = append(unlisted, key)
		}
	}
	for _, key := range listed {
		if breaches[key] == "" {
			unneeded = append(unneeded, key)
		}
	}
	return unlisted, unneeded
}

// onlyFalls compares a number with its ratchet. A higher number is an error. A
// number lower by more than a twentieth is one too: the ratchet has to follow.
func onlyFalls(t *testing.T, name string, number int) {
	t.Helper()
	head, lines := read(t, ratchets)
	at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, name+": ") })
	if at < 0 {
		t.Fatalf("testdata/%s has no line %q", ratchets, name)
	}
	limit, err := strconv.Atoi(strings.TrimPrefix(lines[at], name+": "))
	if err != nil {
		t.Fatalf("testdata/%s: %s: %v", ratchets, name, err)
	}
	if *update && number < limit {
		lines[at] = fmt.Sprintf("%s: %d", name, number)
		write(t, ratchets, head, lines)
		return
	}
	if fault := slip(number, limit); fault != "" {
		t.Errorf("%s: %s", name, fault)
	}
}

// slip returns the fault of a number at its ratchet, or "".
func slip(number, limit int) string {
	switch {
	case number > limit:
		return fmt.Sprintf("%d, more than %d; the number may only go down", number, limit)
	case number < limit-limit/20:
		return fmt.Sprintf("%d, far less than %d; go test ./%s -update lowers the ratchet", number, limit, here())
	}
	return ""
}

func TestExceptionsOnlyShrink(t *testing.T) {
	unlisted, unneeded := compare([]string{"a", "b"}, map[string]string{"b": "a breach", "c": "a breach"})
	if !slices.Equal(unlisted, []string{"c"}) || !slices.Equal(unneeded, []string{"a"}) {
		t.Errorf("unlisted %v, want c; unneeded %v, want a", unlisted, unneeded)
	}
	moved := func(from, to string) bool { return path.Base(from) == path.Base(to) }
	got := follow([]string{"x/a", "b", "x/d"}, []string{"y/a", "c"}, []string{"x/a", "x/d"}, moved)
	if want := []string{"y/a", "b", "x/d"}; !slices.Equal(got, want) {
		t.Errorf("after a move: %v, want %v", got, want)
	}
}

func TestRatchetsOnlyFall(t *testing.T) {
	for _, c := range []struct {
		number, limit int
		want          string
		reason        string
	}{
		{100, 100, "", "the number is at its ratchet"},
		{101, 100, "more than", "the number rose"},
		{95, 100, "", "a small change leaves the ratchet"},
		{94, 100, "far less", "a large change lowers it"},
		{0, 1, "far less", "a small number has no slack"},
	} {
		got := slip(c.number, c.limit)
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("slip(%d, %d) = %q, want %q: %s", c.number, c.limit, got, c.want, c.reason)
		}
	}
}
