// Package folder keeps a directory for each UID in one folder of the file system. The folder
// belongs to one store. Its files are:
//
//   - ".controlplane", the marker, which has the identity of the store.
//   - a directory for each UID.
//   - ".trash", which has the directories that Discard has moved there.
//
// The package touches no other file: a name without the form of a UID stays, and so does a
// file that is no directory. It removes a directory with content only from the trash, once
// its time there is over and nothing needs it. Each step is one rename or one link, and a removal begins with a
// rename. So a process may be killed at any time, and several processes may use the folder at
// once.
package folder

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
)

const (
	marker    = ".controlplane"
	unlinked  = marker + "." // begins the name of a marker that is not in its place yet
	trash     = ".trash"
	trashedAt = "20060102T150405.000000000Z" // ends the name of a directory in the trash
	removing  = ".removing."                 // begins its name while Empty removes it
)

var (
	// ErrForeign is the error of Open for the folder of another store, and for a folder with
	// files and without a marker.
	ErrForeign = errors.New("the folder is not of this store")
	errUID     = errors.New("a UID has 26 to 29 of A-Z and 2-7")

	isUID = regexp.MustCompile(`^[A-Z2-7]{26,29}$`).MatchString
)

// Folder is the folder of one store. It is safe for concurrent use. Use Open.
type Folder struct{ root *os.Root }

// Open opens the folder of a store, or makes it. An empty folder gets the marker, and a store
// without an identity gets a random one. Error: ErrForeign, and the folder is not changed.
//
//test:by TestOpen TestOpenTogether TestOpenAfterCrash
func Open(ctx context.Context, path string, store ownergraph.Records) (*Folder, error) {
	id, err := identity(ctx, store)
	if err != nil {
		return nil, err
	}
	if err = os.MkdirAll(path, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	f := &Folder{root}
	found, err := f.bind(id)
	switch {
	case err != nil:
	case found != id:
		err = fmt.Errorf("folder %s: it belongs to the store with the identity %.80q, and this store has %q: %w", path, found, id, ErrForeign)
	default:
		return f, root.MkdirAll(trash, 0o755)
	}
	return nil, errors.Join(err, root.Close())
}

// identity returns the identity of a store. It is a record, so a backup of the store has it.
func identity(ctx context.Context, store ownergraph.Records) (string, error) {
	const name = "controlplane-identity"
	r, err := store.ReadRecord(ctx, name)
	if errors.Is(err, ownergraph.ErrNotFound) {
		if _, err = store.WriteRecord(ctx, name, []byte(rand.Text()), ""); err == nil || errors.Is(err, ownergraph.ErrConflict) {
			r, err = store.ReadRecord(ctx, name)
		}
	}
	return string(r.Value), err
}

// Close closes the folder.
func (f *Folder) Close() error { return f.root.Close() }

// bind returns the identity in the marker. Without a marker an empty folder gets one.
func (f *Folder) bind(id string) (string, error) {
	found, err := f.owner()
	if !errors.Is(err, fs.ErrNotExist) {
		return found, err
	}
	entries, err := fs.ReadDir(f.root.FS(), ".")
	other := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), marker) })
	if err == nil && other < 0 {
		err = f.mark(id)
	}
	if err != nil {
		return "", err
	}
	found, err = f.owner() // another process may be first
	if errors.Is(err, fs.ErrNotExist) && other >= 0 {
		err = fmt.Errorf("folder %s: it has %q and no marker. To give the folder to the store with the identity %q, write that identity into the file %s: %w",
			f.root.Name(), entries[other].Name(), id, marker, ErrForeign)
	}
	return found, err
}

func (f *Folder) owner() (string, error) {
	text, err := f.root.ReadFile(marker)
	return strings.TrimSpace(string(text)), err
}

// mark puts a whole marker into its place, unless another process was first.
func (f *Folder) mark(id string) error {
	name := unlinked + rand.Text()
	defer f.root.Remove(name)
	file, err := f.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString(id + "\n")
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = f.root.Link(name, marker)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// Repair moves the directories of live UIDs back from the trash, where they are missing or
// empty, and discards those without a live UID. It reads the directories before it asks for
// the live UIDs. If each directory comes after its UID, that one is gone.
//
// If a directory comes back, Repair asks again, and discards it if its UID is no longer live.
// Its object may have begun to go, and its handler may have run, before the directory was back.
//
//test:by TestRepair TestRepairAsksAgain TestRepairFails
func (f *Folder) Repair(uids func() ([]string, error)) error {
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	live, err := setOf(uids)
	if err != nil {
		return err
	}
	back, err := f.restore(live)
	if err == nil && len(back) > 0 {
		live, err = setOf(uids)
	}
	for _, name := range append(names, back...) {
		if err == nil && isUID(name) && !live[name] {
			err = f.Discard(name, time.Now())
		}
	}
	return err
}

func setOf(uids func() ([]string, error)) (map[string]bool, error) {
	list, err := uids()
	set := map[string]bool{}
	for _, uid := range list {
		set[uid] = true
	}
	return set, err
}

// Make makes the directory of a UID, unless it is there.
func (f *Folder) Make(uid string) error {
	if !isUID(uid) {
		return fmt.Errorf("make the directory of uid %.80q: %w", uid, errUID)
	}
	return f.root.MkdirAll(uid, 0o755)
}

// Discard moves the directory of a UID to the trash, and makes the trash if it is missing. It
// removes an empty directory. A missing directory is no error.
//
//test:by TestDiscard TestDiscardWithoutTrash
func (f *Folder) Discard(uid string, now time.Time) error {
	if !isUID(uid) {
		return fmt.Errorf("discard the directory of uid %.80q: %w", uid, errUID)
	}
	info, err := f.root.Lstat(uid)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() || err == nil && f.root.Remove(uid) == nil {
		return nil
	}
	if err != nil {
		return err
	}
	to := trash + "/" + uid + "." + now.UTC().Format(trashedAt)
	if err = f.root.Rename(uid, to); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, gone := f.root.Lstat(uid); errors.Is(gone, fs.ErrNotExist) { // another process was first
		return nil
	}
	if err = f.root.MkdirAll(trash, 0o755); err == nil {
		err = f.root.Rename(uid, to)
	}
	return err
}
