package etcd

import (
	"os"
	"testing"
)

// TestStart: etcd keeps its data over the end of its process.
func TestStart(t *testing.T) {
	s, err := Start(t.Context(), Config{Fsync: true, Flags: []string{"--name=other"}})
	if err != nil {
		t.Fatal(err)
	}
	s.Kill()
	if err := s.Launch(t.Context()); err != nil {
		t.Error(err)
	}
	if list, err := os.ReadDir(Data(s)); err != nil || len(list) == 0 {
		t.Errorf("the data: %v, %v", list, err)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}
