package folder

import (
	"errors"
	"slices"
	"testing"
	"time"
)

const three = "ABCDEFGHIJKLMNOPQRSTUVWXYZ567"

// TestEmptyLeavesTheNeeded checks that a directory whose time is over stays while it is needed, and that an error about
// that removes nothing.
func TestEmptyLeavesTheNeeded(t *testing.T) {
	failed := errors.New("no answer")
	for _, c := range []struct {
		needed []string
		after  time.Duration
		err    error
		asked  bool
		want   []string
		reason string
	}{
		{[]string{two}, time.Hour, nil, true, []string{"trash/" + two, "trash/" + two + "/file"}, "an entry has the one, and none the other"},
		{nil, time.Hour, failed, true, []string{"trash/" + one, "trash/" + one + "/file", "trash/" + two, "trash/" + two + "/file"}, "the archive does not answer"},
		{nil, time.Minute, nil, false, []string{"trash/" + one, "trash/" + one + "/file", "trash/" + two, "trash/" + two + "/file"}, "no time is over"},
		{nil, time.Hour, nil, true, nil, "no entry is left"},
	} {
		path := t.TempDir()
		f := open(t, path)
		for _, uid := range []string{one, two} {
			write(t, path, uid, "file")
			changedAt(t, noon, path, uid)
			if err := f.Discard(uid, noon); err != nil {
				t.Fatal(err)
			}
		}
		asked := false
		err := f.Empty(noon.Add(c.after), time.Hour, func() ([]string, error) { asked = true; return c.needed, c.err })
		if !errors.Is(err, c.err) || asked != c.asked {
			t.Errorf("error %v, asked %t: %s", err, asked, c.reason)
		}
		if got := files(t, path); !slices.Equal(got, c.want) {
			t.Errorf("files %v, want %v: %s", got, c.want, c.reason)
		}
	}
}

// TestGive checks that the directories of a UID get its last UID, also after a killed Give, and that no other file
// changes.
func TestGive(t *testing.T) {
	at := func(uid string) string { return uid + "." + noon.Format(trashedAt) }
	for _, c := range []struct {
		has    []string
		to     map[string]string
		want   []string
		reason string
	}{
		{[]string{trash + "/" + at(one) + "/a"}, map[string]string{one: two}, []string{"trash/" + two, "trash/" + two + "/a"}, "the object came back"},
		{[]string{trash + "/" + at(one) + "/a"}, map[string]string{one: two, two: three}, []string{"trash/" + three, "trash/" + three + "/a"}, "it came back twice"},
		{[]string{one + "/a"}, map[string]string{one: two}, []string{"trash/" + two, "trash/" + two + "/a"}, "a killed process has left it in its place"},
		{[]string{trash + "/" + at(one) + "/a", two + "/b"}, map[string]string{one: two}, []string{"trash/" + two, "trash/" + two + "/a", two, two + "/b"}, "the new object has files"},
		{[]string{trash + "/" + at(three) + "/a"}, map[string]string{one: two}, []string{"trash/" + three, "trash/" + three + "/a"}, "another object"},
		{[]string{trash + "/" + removing + at(one) + "/a"}, map[string]string{one: two}, []string{"trash/", "trash//a"}, "Empty has begun to remove it"},
		{nil, map[string]string{one: two, two: one}, nil, "a ring of forged entries"},
	} {
		path := t.TempDir()
		f := open(t, path)
		for _, name := range c.has {
			write(t, path, name)
		}
		for range 2 { // the second call has nothing to do
			if err := f.Give(c.to, noon); err != nil {
				t.Errorf("error %v: %s", err, c.reason)
			}
			if got := files(t, path); !slices.Equal(got, c.want) {
				t.Errorf("files %v, want %v: %s", got, c.want, c.reason)
			}
		}
	}
}

// TestGiveFails checks that a name that is no UID is an error, and leads to no path outside of the folder.
func TestGiveFails(t *testing.T) {
	for _, c := range []struct{ from, to, reason string }{
		{"../x", two, "a path as the former UID"},
		{one, "../x", "a path as the new UID"},
		{one, "", "no new UID"},
	} {
		path := t.TempDir()
		f := open(t, path)
		write(t, path, one, "file")
		if err := f.Give(map[string]string{c.from: c.to}, noon); !errors.Is(err, errUID) {
			t.Errorf("error %v: %s", err, c.reason)
		}
		if got := files(t, path); !slices.Equal(got, []string{one, one + "/file"}) {
			t.Errorf("files %v: %s", got, c.reason)
		}
	}
}

// TestPutBack checks that the newest directory comes back into a missing or empty place, and into no other.
func TestPutBack(t *testing.T) {
	newer := noon.Add(time.Second)
	for _, c := range []struct {
		has    []string
		want   []string
		reason string
	}{
		{nil, []string{"trash/" + one, "trash/" + one + "/old", one, one + "/new"}, "there is no directory in its place"},
		{[]string{one + "/own"}, []string{"trash/" + one, "trash/" + one + "/old", "trash/" + one, "trash/" + one + "/new", one, one + "/own"}, "there are files in its place"},
	} {
		path := t.TempDir()
		f := open(t, path)
		write(t, path, trash, one+"."+noon.Format(trashedAt), "old")
		write(t, path, trash, one+"."+newer.Format(trashedAt), "new")
		for _, name := range c.has {
			write(t, path, name)
		}
		if err := f.PutBack(one); err != nil {
			t.Errorf("error %v: %s", err, c.reason)
		}
		if got := files(t, path); !slices.Equal(got, c.want) {
			t.Errorf("files %v, want %v: %s", got, c.want, c.reason)
		}
	}
}
