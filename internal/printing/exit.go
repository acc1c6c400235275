package printing

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/ownergraph/ownergraph/internal/terminal"
)

// The exit codes.
const (
	ExitDone   = 0
	ExitFailed = 1
	ExitUsage  = 2
	ExitFound  = 3
)

// ErrFound says that a command is done, and has found a fault or a held object.
var ErrFound = errors.New("findings or held objects")

// UsageError is an error of the command line.
type UsageError string

// Error returns the text.
func (e UsageError) Error() string { return string(e) }

// Exit returns the exit code for the error of a command, and reports the error. A command that
// has not started was used wrongly.
//
//test:by cmd/internal/cli.TestExitCodes cmd/internal/cli.TestPluginExitCodes
func Exit(stderr io.Writer, command string, started bool, err error) int {
	switch {
	case err == nil:
		return ExitDone
	case errors.Is(err, ErrFound):
		return ExitFound
	}
	fmt.Fprintln(stderr, command+":", terminal.Printable(err.Error()))
	if !started || errors.As(err, new(UsageError)) {
		fmt.Fprintf(stderr, "Run %q for the usage.\n", command+" --help")
		return ExitUsage
	}
	return ExitFailed
}

// Version returns the version of the program's module, as the Go tool has built it in.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "without a version: the build did not record one"
	}
	return info.Main.Version
}
