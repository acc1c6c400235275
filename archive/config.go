package archive

import (
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// Config has the settings of an archive. The zero value keeps each entry for ever.
type Config struct {
	// Keep is the time for which an explicit entry stays, 0 for no end. A cascade entry goes with the entries that
	// it hangs from.
	Keep time.Duration
	// Kinds has settings for single kinds.
	Kinds map[graph.Kind]KindConfig
	// MaxBytes bounds the payload of an entry. The store refuses a removal with a larger one, so that nothing is
	// lost. 0 stands for DefaultMaxBytes.
	MaxBytes int
}

// KindConfig has the settings of one kind.
type KindConfig struct {
	// Keep replaces Config.Keep, if it is not 0.
	Keep time.Duration
	// Off: the objects of the kind get no entry, as for secrets. No restore brings one back, nor an object that needs it.
	Off bool
}

// DefaultMaxBytes is 1 MiB.
const DefaultMaxBytes = 1 << 20

// Check returns the error of a wrong setting, which names the field.
func (c Config) Check() error {
	if c.Keep < 0 || c.MaxBytes < 0 {
		return errors.New("archive: Keep, MaxBytes: negative")
	}
	for kind, k := range c.Kinds {
		if k.Keep < 0 {
			return fmt.Errorf("archive: Kinds[%q]: Keep: negative", kind)
		}
	}
	return nil
}

// Has reports whether objects of the kind get entries.
func (c Config) Has(kind graph.Kind) bool { return !c.Kinds[kind].Off }

// Until returns the time from which an entry of the kind may be purged, zero for no end. It counts from the end of the
// object, and anew from each restore.
func (c Config) Until(kind graph.Kind, from time.Time) time.Time {
	keep := c.Keep
	if own := c.Kinds[kind].Keep; own != 0 {
		keep = own
	}
	if keep == 0 {
		return time.Time{}
	}
	return from.Add(keep)
}

// Bound returns the largest payload of an entry, in bytes.
func (c Config) Bound() int {
	if c.MaxBytes == 0 {
		return DefaultMaxBytes
	}
	return c.MaxBytes
}
