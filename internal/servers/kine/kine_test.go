package kine

import (
	"os"
	"path/filepath"
	"testing"
)

// TestStart: kine keeps its data over the end of its process.
func TestStart(t *testing.T) {
	s, err := Start(t.Context(), Config{Flags: []string{"--watch-progress-notify-interval=1s"}})
	if err != nil {
		t.Fatal(err)
	}
	s.Kill()
	if err := s.Launch(t.Context()); err != nil {
		t.Error(err)
	}
	if list, err := os.ReadDir(filepath.Join(s.Dir(), "db")); err != nil || len(list) == 0 {
		t.Errorf("the data: %v, %v", list, err)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}
