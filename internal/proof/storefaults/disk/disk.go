// Package disk makes small file systems that can be filled. It needs Linux and root.
package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Disk is a tmpfs of its own. It is not safe for concurrent use. Use Mount.
type Disk struct{ dir string }

// Mount mounts a tmpfs of so many bytes in a temporary directory. The error says that
// mounting needs root.
func Mount(size int64) (*Disk, error) {
	dir, err := os.MkdirTemp("", "storefaults")
	if err != nil {
		return nil, fmt.Errorf("mount disk: %w", err)
	}
	err = syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0755", size))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("mount disk: tmpfs on %s: %w: the fault of a full disk needs root and the right to mount", dir, err), os.Remove(dir))
	}
	return &Disk{dir}, nil
}

// Dir returns the directory of the disk.
func (d *Disk) Dir() string { return d.dir }

func (d *Disk) filler() string { return filepath.Join(d.dir, "filler") }

// Fill writes until the disk is full.
func (d *Disk) Fill() error {
	f, err := os.OpenFile(d.filler(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("fill disk: %w", err)
	}
	defer f.Close()
	for block := make([]byte, 1<<20); len(block) > 0; {
		n, err := f.Write(block)
		switch {
		case errors.Is(err, syscall.ENOSPC):
			if n == 0 {
				block = block[:len(block)/2]
			}
		case err != nil:
			return fmt.Errorf("fill disk: %w", err)
		}
	}
	return nil
}

// Free ends the fault of a full disk.
func (d *Disk) Free() error {
	if err := os.Remove(d.filler()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("free disk: %w", err)
	}
	return nil
}

// Unmount removes the disk with its files. Files that are open live on.
func (d *Disk) Unmount() error {
	if err := syscall.Unmount(d.dir, syscall.MNT_DETACH); err != nil {
		return fmt.Errorf("unmount disk: %w", err)
	}
	return os.Remove(d.dir)
}
