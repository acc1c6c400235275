package clientgo

import (
	"errors"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

func TestNewWithoutServer(t *testing.T) {
	if _, err := New(nil, Config{}); !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), "rest config") {
		t.Error(err)
	}
}
