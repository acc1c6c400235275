package ownergraph

import (
	"errors"

	"github.com/ownergraph/ownergraph/engine"
)

var (
	// ErrRunning means that the collector already runs.
	ErrRunning = errors.New("collector is running")
	// ErrClosed means that the collector has ended.
	ErrClosed = errors.New("collector has ended")
	// ErrStuck says that the store, or a handler, has not returned within
	// Config.ShutdownTimeout. Its goroutine is left behind.
	ErrStuck = errors.New("does not return")
)

// The errors of an engine.
var (
	ErrBroken   = engine.ErrBroken
	ErrNotBegun = engine.ErrNotBegun
)
