package disk

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestDisk fills a disk, and frees it again.
func TestDisk(t *testing.T) {
	d, err := Mount(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Unmount(); err != nil {
			t.Error(err)
		}
	}()
	file := filepath.Join(d.Dir(), "file")
	if err := d.Fill(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, make([]byte, 5000), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("write to a full disk: %v, want ENOSPC", err)
	}
	if err := d.Free(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, make([]byte, 5000), 0o600); err != nil {
		t.Errorf("write to a free disk: %v", err)
	}
}
