package queue

import (
	"errors"
	"fmt"
	"math/bits"
	"time"

	"github.com/ownergraph/ownergraph/internal/splitmix"
)

// The delays of a zero Config.
const (
	DefaultBaseDelay = 5 * time.Millisecond
	DefaultMaxDelay  = 5 * time.Minute
)

// ErrConfig is the sentinel of Config.Validate.
var ErrConfig = errors.New("invalid configuration")

// Config sets a queue's backoff. The zero value works. It is a value. A queue keeps a
// copy, and calls Hash from the goroutine that calls Retry.
type Config[K comparable] struct {
	// Hash seeds the jitter, so that keys that fail together return apart. It must be
	// pure. Without Hash the jitter depends on the attempt only.
	Hash func(K) uint64
	// Number returns a small number that stands for one key, such as its place in a
	// table. With it the queue hashes nothing and grows without copying. It must be pure.
	Number func(K) uint32
	// BaseDelay is the delay of the first retry before jitter. It doubles with each
	// attempt. Zero is DefaultBaseDelay.
	BaseDelay time.Duration
	// MaxDelay caps the delay before jitter. Zero is DefaultMaxDelay.
	MaxDelay time.Duration
}

// Validate returns an error for a negative delay and for a MaxDelay below the BaseDelay.
// The error wraps ErrConfig and names the field. New takes such a Config, too. It takes a
// negative delay as zero, and prefers MaxDelay to BaseDelay.
//
//test:by TestValidate TestBackoff
func (c Config[K]) Validate() error {
	switch {
	case c.BaseDelay < 0:
		return fmt.Errorf("validate queue config: BaseDelay: %w: %v is negative", ErrConfig, c.BaseDelay)
	case c.MaxDelay < 0:
		return fmt.Errorf("validate queue config: MaxDelay: %w: %v is negative", ErrConfig, c.MaxDelay)
	}
	if d := c.withDefaults(); d.MaxDelay < d.BaseDelay {
		return fmt.Errorf("validate queue config: MaxDelay: %w: %v is below BaseDelay %v", ErrConfig, d.MaxDelay, d.BaseDelay)
	}
	return nil
}

// withDefaults returns c with both delays positive.
func (c Config[K]) withDefaults() Config[K] {
	if c.BaseDelay <= 0 {
		c.BaseDelay = DefaultBaseDelay
	}
	if c.MaxDelay <= 0 {
		c.MaxDelay = DefaultMaxDelay
	}
	return c
}

// backoff returns the delay of a key after its given attempt, the first being 1. It is a
// pure function of the configuration, the key's hash and the attempt.
func (c *Config[K]) backoff(key K, attempt int32) time.Duration {
	delay, shift := c.MaxDelay, uint(attempt-1)
	if c.BaseDelay <= c.MaxDelay>>shift {
		delay = c.BaseDelay << shift
	}
	var seed uint64
	if c.Hash != nil {
		seed = c.Hash(key)
	}
	return jitter(delay, splitmix.Mix(seed+uint64(attempt)*splitmix.Step))
}

// jitter returns a duration in [delay/2, delay), in proportion to random in [0, 2^64). A
// delay of one nanosecond stays as it is.
func jitter(delay time.Duration, random uint64) time.Duration {
	half := delay / 2
	part, _ := bits.Mul64(random, uint64(half))
	return delay - half + time.Duration(part)
}
