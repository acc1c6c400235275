// Command systems reads Go modules as the compiler would for other systems, and prints their errors.
//
//	GOWORK=off go -C internal/proof/systems run . -targets windows/amd64,darwin/arm64 ../../.. ../../../cmd
//
// It reads all files of each module, with those of the tests, and finds their errors of syntax and type. It compiles nothing. To
// compile the libraries that the adapters use takes some minutes for each system, and to read them takes some seconds.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "systems:", err)
		os.Exit(1)
	}
}

// run reads each module on each system. It goes on after an error, and returns all of them.
//
//test:by TestRun
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("systems", flag.ContinueOnError)
	targets := flags.String("targets", "", "systems and architectures, such as windows/amd64,linux/arm64")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *targets == "" || flags.NArg() == 0 {
		return errors.New("name systems (flag -targets) and the directories of modules")
	}
	var failed []error
	for _, t := range strings.Split(*targets, ",") {
		system, arch, ok := strings.Cut(t, "/")
		if !ok || system == "" || arch == "" {
			return fmt.Errorf("targets: %q: want a system and an architecture, such as linux/arm64", t)
		}
		for _, dir := range flags.Args() {
			dir, err := filepath.Abs(dir)
			if err != nil {
				return err
			}
			n, err := check(ctx, dir, system, arch)
			fmt.Fprintf(out, "%s: %s: %d packages\n", t, dir, n)
			if err != nil {
				failed = append(failed, fmt.Errorf("%s: %s:\n%w", t, dir, err))
			}
		}
	}
	return errors.Join(failed...)
}
