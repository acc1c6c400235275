package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"
)

// trashed is one directory in the trash.
type trashed struct {
	name, uid string
	at        time.Time // from the name
	half      bool      // Empty has begun to remove it
	changed   time.Time // the entries of the directory
}

func (t *trashed) path() string { return trash + "/" + t.name }

// trash returns the directories that Discard has moved, by their names. A missing trash is empty.
func (f *Folder) trash() (list []trashed, err error) {
	entries, err := fs.ReadDir(f.root.FS(), trash)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, e := range entries {
		t := trashed{name: e.Name()}
		rest, half := strings.CutPrefix(t.name, removing)
		uid, text, _ := strings.Cut(rest, ".")
		at, wrong := time.Parse(trashedAt, text)
		if info, gone := e.Info(); wrong == nil && gone == nil && e.IsDir() && isUID(uid) {
			t.uid, t.at, t.half, t.changed = uid, at, half, info.ModTime()
			list = append(list, t)
		}
	}
	return list, err
}

// restore moves directories back from the trash, and returns their UIDs. Of several directories
// of one UID it takes the newest. It takes no directory that Empty has begun to remove.
func (f *Folder) restore(live map[string]bool) (back []string, err error) {
	list, err := f.trash()
	list = slices.DeleteFunc(list, func(t trashed) bool { return t.half || !live[t.uid] })
	for i, t := range list {
		if newest := i+1 == len(list) || list[i+1].uid != t.uid; !newest || err != nil {
			continue
		}
		_ = f.root.Remove(t.uid) // a directory with content stays
		if _, missing := f.root.Lstat(t.uid); !errors.Is(missing, fs.ErrNotExist) {
			continue
		}
		if err = f.root.Rename(t.path(), t.uid); err == nil {
			back = append(back, t.uid)
		}
		if errors.Is(err, fs.ErrNotExist) { // another process was first
			err = nil
		}
	}
	return back, err
}

// Empty removes the directories that have been in the trash for the time keep. A directory gets
// another name before. So Repair takes no half directory, if the process is killed meanwhile, and
// the next Empty removes the rest.
//
// The function needed returns the UIDs whose directories stay, and is called only if the time of a
// directory is over. It is called after the trash has been read. Nil stands for none.
//
// A directory whose entries have changed after the time in its name was discarded by a clock that
// was wrong. Its time begins with that change. Without a later change a wrong clock is not found.
//
//test:by TestEmpty TestEmptyAfterCrash TestEmptyAfterWrongClock TestEmptyLeavesTheNeeded
func (f *Folder) Empty(now time.Time, keep time.Duration, needed func() ([]string, error)) error {
	paths, err := f.takeDue(now, keep, needed)
	for _, path := range paths {
		err = errors.Join(err, f.root.RemoveAll(path))
	}
	return err
}

// takeDue renames the directories that Empty has to remove, and returns their paths.
func (f *Folder) takeDue(now time.Time, keep time.Duration, needed func() ([]string, error)) (paths []string, err error) {
	list, err := f.trash()
	var due []trashed
	for _, t := range list {
		switch {
		case t.half:
			paths = append(paths, t.path())
		case now.Sub(t.at) >= keep && now.Sub(t.changed) >= keep:
			due = append(due, t)
		}
	}
	stays := map[string]bool{}
	if len(due) > 0 && needed != nil && err == nil {
		stays, err = setOf(needed)
	}
	if err != nil {
		return paths, err
	}
	for _, t := range due {
		if stays[t.uid] {
			continue
		}
		path := trash + "/" + removing + t.name
		switch moved := f.root.Rename(t.path(), path); {
		case moved == nil:
			paths = append(paths, path)
		case !errors.Is(moved, fs.ErrNotExist): // otherwise another process was first
			err = errors.Join(err, moved)
		}
	}
	return paths, err
}

// Give makes the directories of ended objects those of the objects that came back from them, by their UIDs. It
// moves each within the trash, with the time of its name. A directory that is still in its place goes to the trash
// before. An object may come back several times: its directories go to the last UID.
//
// A killed process leaves each directory under one of the UIDs. The next call moves the rest.
//
//test:by TestGive TestGiveFails
func (f *Folder) Give(to map[string]string, now time.Time) error {
	for _, from := range slices.Sorted(maps.Keys(to)) {
		if !isUID(to[from]) {
			return fmt.Errorf("give the directory of uid %.80q to %.80q: %w", from, to[from], errUID)
		}
		if err := f.Discard(from, now); err != nil {
			return err
		}
	}
	list, err := f.trash()
	for _, t := range list {
		if last := lastOf(to, t.uid); err == nil && last != t.uid && !t.half {
			_, at, _ := strings.Cut(t.name, ".")
			err = f.root.Rename(t.path(), trash+"/"+last+"."+at)
			if errors.Is(err, fs.ErrNotExist) { // another process was first
				err = nil
			}
		}
	}
	return err
}

// lastOf follows the steps from a UID to the last one. The bound is for steps in a ring.
func lastOf(to map[string]string, uid string) string {
	for range to {
		next, more := to[uid]
		if !more {
			break
		}
		uid = next
	}
	return uid
}

// PutBack moves the newest directory of a UID from the trash to its place, if that is missing or empty.
//
//test:by TestPutBack
func (f *Folder) PutBack(uid string) error {
	_, err := f.restore(map[string]bool{uid: true})
	return err
}
