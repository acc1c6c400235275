package folder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/adapters/memory"
)

const one, two = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234"

var noon = time.Date(2026, 1, 2, 12, 0, 0, 5, time.UTC)

// files returns the paths of all files and directories, but for the marker and the trash
// itself. A time of the trash is left out.
func files(t *testing.T, path string) (list []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(path), ".", func(name string, _ fs.DirEntry, err error) error {
		if name != "." && name != marker && name != trash {
			if rest, ok := strings.CutPrefix(name, trash+"/"); ok {
				uid, after, _ := strings.Cut(rest, ".")
				_, inside, _ := strings.Cut(after, "/")
				name = strings.TrimSuffix("trash/"+uid+"/"+inside, "/")
			}
			list = append(list, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// write writes a file, and the directories above it.
func write(t *testing.T, parts ...string) {
	t.Helper()
	path := filepath.Join(parts...)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte("data"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func newStore(t *testing.T) *memory.Store {
	t.Helper()
	s, err := memory.New(memory.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func open(t *testing.T, path string) *Folder {
	t.Helper()
	f, err := Open(t.Context(), path, newStore(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// TestOpen checks that a folder serves one store, and that the error for another one names
// both and changes nothing.
func TestOpen(t *testing.T) {
	store, other := newStore(t), newStore(t)
	id, err := identity(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		has    []string
		mark   string
		fails  []string
		reason string
	}{
		{nil, "", nil, "an empty folder"},
		{nil, id, nil, "its own folder"},
		{[]string{"photo.jpg", one + "/file"}, id, nil, "its own folder with files of the user"},
		{[]string{"photo.jpg"}, "", []string{"photo.jpg", id}, "a home folder"},
		{[]string{one + "/file"}, "", []string{one, id}, "a folder of a version without a marker"},
		{[]string{one + "/file"}, "OTHER", []string{"OTHER", id}, "the folder of another store"},
		{nil, "", nil, "no folder"},
	} {
		path := filepath.Join(t.TempDir(), "data")
		for _, name := range c.has {
			write(t, path, name)
		}
		if c.mark != "" {
			write(t, path, marker)
			if err := os.WriteFile(filepath.Join(path, marker), []byte(c.mark), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var before []string
		if c.has != nil {
			before = files(t, path)
		}
		f, err := Open(t.Context(), path, store)
		if (err == nil) != (c.fails == nil) || c.fails != nil && !errors.Is(err, ErrForeign) {
			t.Fatalf("error %v: %s", err, c.reason)
		}
		for _, part := range append(c.fails, path) {
			if err != nil && !strings.Contains(err.Error(), part) {
				t.Errorf("the error does not name %s: %v: %s", part, err, c.reason)
			}
		}
		if got := files(t, path); !slices.Equal(got, before) {
			t.Errorf("files %v, there were %v: %s", got, before, c.reason)
		}
		if err != nil {
			continue
		}
		_ = f.Close()
		if _, err := Open(t.Context(), path, other); !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), id) {
			t.Errorf("another store gets the error %v: %s", err, c.reason)
		}
	}
}

// TestOpenTogether checks that of two stores that open a new folder together one gets it, with
// all of its processes.
func TestOpenTogether(t *testing.T) {
	for range 50 {
		stores := []*memory.Store{newStore(t), newStore(t)}
		path := filepath.Join(t.TempDir(), "data")
		var errs [6]error
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() {
				f, err := Open(t.Context(), path, stores[i%2])
				if errs[i] = err; err == nil {
					_ = f.Close()
				}
			})
		}
		all.Wait()
		won := 0
		for i, err := range errs {
			if err == nil {
				won++
			} else if !errors.Is(err, ErrForeign) || errs[i%2] == nil {
				t.Fatalf("process %d of store %d: %v", i, i%2, err)
			}
		}
		if won != 3 {
			t.Fatalf("%d of 6 processes got the folder, want the 3 of one store: %v", won, errs)
		}
	}
}

// TestOpenAfterCrash checks that a process that was killed before its marker was in place
// leaves a folder that is still empty, also for another store.
func TestOpenAfterCrash(t *testing.T) {
	for _, text := range []string{"", "HAL", "SOME-IDENTITY\n"} {
		path := t.TempDir()
		if err := os.WriteFile(filepath.Join(path, unlinked+"CRASHED"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		open(t, path)
	}
}

// TestDiscard checks that Discard moves a directory with its content, and only directories of UIDs.
func TestDiscard(t *testing.T) {
	path := t.TempDir()
	f := open(t, path)
	write(t, path, one, "file")
	write(t, path, two)
	write(t, filepath.Dir(path), "outside", "file")
	for _, c := range []struct {
		uid    string
		fails  bool
		reason string
	}{
		{one, false, "a directory"},
		{one, false, "it is no longer there"},
		{two, false, "a file in the form of a UID is of the user"},
		{"../outside", true, "a path"},
		{"outside", true, "no UID"},
		{"", true, "no UID"},
		{marker, true, "the marker"},
	} {
		if err := f.Discard(c.uid, noon); (err != nil) != c.fails {
			t.Errorf("error %v: %s", err, c.reason)
		}
		if err := f.Make(c.uid); (err != nil) != (c.fails || c.uid == two) {
			t.Errorf("make: error %v: %s", err, c.reason)
		}
		_ = os.Remove(filepath.Join(path, one)) // an empty one, which Make has made
	}
	if got, want := files(t, path), []string{"trash/" + one, "trash/" + one + "/file", two}; !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(path), "outside", "file")); err != nil {
		t.Error(err)
	}
}

// TestRepair checks that a directory without a live UID goes to the trash with its content,
// that it comes back with its UID, and that files of the user stay where they are.
func TestRepair(t *testing.T) {
	path := t.TempDir()
	f := open(t, path)
	write(t, path, one, "old")
	write(t, path, two, "file")
	write(t, path, "home", "file")
	write(t, path, strings.ToLower(one), "file")
	want := files(t, path)
	for _, c := range []struct {
		live    []string
		trashed []string
		reason  string
	}{
		{[]string{one, two}, nil, "all are live"},
		{nil, []string{one, two}, "another copy of the store"},
		{nil, []string{one, two}, "a second start of it"},
		{[]string{one, two}, nil, "the right copy of the store"},
		{[]string{one}, []string{two}, "a restored backup"},
	} {
		if err := f.Repair(func() ([]string, error) {
			for _, uid := range c.live {
				if err := f.Make(uid); err != nil { // as the caller does
					return nil, err
				}
			}
			return c.live, nil
		}); err != nil {
			t.Fatalf("%v: %s", err, c.reason)
		}
		wanted := []string{}
		for _, name := range want {
			if uid, _, _ := strings.Cut(name, "/"); slices.Contains(c.trashed, uid) {
				name = "trash/" + name
			}
			wanted = append(wanted, name)
		}
		if slices.Sort(wanted); !slices.Equal(slices.Sorted(slices.Values(files(t, path))), wanted) {
			t.Errorf("files %v, want %v: %s", files(t, path), wanted, c.reason)
		}
	}
}

// TestRepairNewest checks that of two directories of one UID in the trash the newer one comes
// back, and that no directory with content is replaced.
func TestRepairNewest(t *testing.T) {
	path := t.TempDir()
	f := open(t, path)
	for i, name := range []string{"first", "second"} {
		write(t, path, one, name)
		if err := f.Discard(one, noon.Add(time.Duration(i)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second time the directory has content
		if err := f.Repair(func() ([]string, error) { return []string{one}, nil }); err != nil {
			t.Fatal(err)
		}
		if got, want := files(t, path), []string{"trash/" + one, "trash/" + one + "/first", one, one + "/second"}; !slices.Equal(got, want) {
			t.Errorf("files %v, want %v", got, want)
		}
	}
}

// TestRepairFails checks that an error of the store is no proof that its objects are gone.
func TestRepairFails(t *testing.T) {
	path := t.TempDir()
	f := open(t, path)
	write(t, path, one, "file")
	failed := errors.New("failed")
	if err := f.Repair(func() ([]string, error) { return nil, failed }); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	if got, want := files(t, path), []string{one, one + "/file"}; !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
}

// TestRepairAsksAgain checks that a directory does not stay back if its UID was live only before
// it came back. Then the handler of another process has run before, and does not run again.
func TestRepairAsksAgain(t *testing.T) {
	failed := errors.New("failed")
	for _, c := range []struct {
		second []string
		err    error
		want   []string
		asked  int
		reason string
	}{
		{[]string{one}, nil, []string{one, one + "/file"}, 2, "it is still live"},
		{nil, nil, []string{"trash/" + one, "trash/" + one + "/file"}, 2, "it has begun to go meanwhile"},
		{nil, failed, []string{one, one + "/file"}, 2, "an error is no proof that it goes"},
	} {
		path := t.TempDir()
		f := open(t, path)
		write(t, path, one, "file")
		if err := f.Discard(one, noon); err != nil {
			t.Fatal(err)
		}
		asked := 0
		err := f.Repair(func() ([]string, error) {
			if asked++; asked == 1 {
				return []string{one}, nil
			}
			return c.second, c.err
		})
		if !errors.Is(err, c.err) || asked != c.asked {
			t.Errorf("error %v, asked %d times, want %v and %d: %s", err, asked, c.err, c.asked, c.reason)
		}
		if got := files(t, path); !slices.Equal(got, c.want) {
			t.Errorf("files %v, want %v: %s", got, c.want, c.reason)
		}
	}
}

// TestDiscardWithoutTrash checks that Discard makes a trash that a user has removed, and reports
// an error if it cannot. A success without a move would leave the files of a deleted object.
func TestDiscardWithoutTrash(t *testing.T) {
	for _, c := range []struct {
		file   bool
		want   []string
		reason string
	}{
		{false, []string{"trash/" + one, "trash/" + one + "/file"}, "the trash is missing"},
		{true, []string{one, one + "/file"}, "a file has the name of the trash"},
	} {
		path := t.TempDir()
		f := open(t, path)
		write(t, path, one, "file")
		if err := os.Remove(filepath.Join(path, trash)); err != nil {
			t.Fatal(err)
		}
		if err := f.Empty(noon, time.Hour, nil); err != nil {
			t.Errorf("empty a missing trash: %v: %s", err, c.reason)
		}
		if c.file {
			write(t, path, trash)
		}
		if err := f.Discard(one, noon); (err != nil) != c.file {
			t.Errorf("error %v: %s", err, c.reason)
		}
		if got := files(t, path); !slices.Equal(got, c.want) {
			t.Errorf("files %v, want %v: %s", got, c.want, c.reason)
		}
	}
}

// changedAt sets the time of the last change of a directory.
func changedAt(t *testing.T, at time.Time, parts ...string) {
	t.Helper()
	if err := os.Chtimes(filepath.Join(parts...), at, at); err != nil {
		t.Fatal(err)
	}
}

// TestEmptyAfterCrash checks that Repair takes no directory of which a killed process has removed
// a part, and that the next Empty removes the rest at once.
func TestEmptyAfterCrash(t *testing.T) {
	path := t.TempDir()
	f := open(t, path)
	write(t, path, one, "first")
	write(t, path, one, "second")
	write(t, path, trash, removing+"of the user", "file")
	changedAt(t, noon, path, one)
	if err := f.Discard(one, noon); err != nil {
		t.Fatal(err)
	}
	taken, err := f.takeDue(noon.Add(time.Hour), time.Hour, nil)
	if err != nil || len(taken) != 1 {
		t.Fatalf("taken %v, error %v", taken, err)
	}
	if err := os.Remove(filepath.Join(path, taken[0], "first")); err != nil { // the process is killed here
		t.Fatal(err)
	}
	if err := f.Repair(func() ([]string, error) { return []string{one}, nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(path, one)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half a directory is back: %v", err)
	}
	if err := f.Empty(noon, time.Hour, nil); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Join(path, trash))
	if err != nil || len(entries) != 1 || entries[0].Name() != removing+"of the user" {
		t.Errorf("the trash has %v, error %v, want the directory of the user", entries, err)
	}
}

// TestEmptyAfterWrongClock checks that a directory whose entries have changed after the recorded
// time stays for the whole time from that change.
func TestEmptyAfterWrongClock(t *testing.T) {
	path := t.TempDir()
	f := open(t, path)
	write(t, path, one, "file")
	changedAt(t, noon, path, one)
	if err := f.Discard(one, time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		after time.Duration
		stays bool
	}{{time.Minute, true}, {time.Hour - 1, true}, {time.Hour, false}} {
		if err := f.Empty(noon.Add(c.after), time.Hour, nil); err != nil {
			t.Fatal(err)
		}
		if got := len(files(t, path)) > 0; got != c.stays {
			t.Errorf("after %v the directory stays: %t, want %t", c.after, got, c.stays)
		}
	}
}

// TestEmpty checks that the trash keeps a directory for the whole time, and forever what
// Discard has not moved there.
func TestEmpty(t *testing.T) {
	path := t.TempDir()
	f := open(t, path)
	write(t, path, one, "file")
	write(t, path, trash, "of the user", "file")
	write(t, path, trash, one+".yesterday", "file")
	changedAt(t, noon, path, one)
	if err := f.Discard(one, noon); err != nil {
		t.Fatal(err)
	}
	before := files(t, path)
	for _, c := range []struct {
		after time.Duration
		gone  bool
	}{{-time.Hour, false}, {time.Hour - 1, false}, {time.Hour, true}} {
		if err := f.Empty(noon.Add(c.after), time.Hour, nil); err != nil {
			t.Fatal(err)
		}
		if got := len(before) - len(files(t, path)); (got == 2) != c.gone || got != 0 && !c.gone {
			t.Errorf("after %v %d files are gone: %v", c.after, got, files(t, path))
		}
	}
}
