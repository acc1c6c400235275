package feed_test

import (
	"testing"

	"github.com/ownergraph/ownergraph/internal/share"
)

func TestMain(m *testing.M) { share.Main(m, "100ms") }
