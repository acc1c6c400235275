// Command collector is the garbage collector of kube-controller-manager as a
// program of its own, for API servers that run without it:
//
//	go run . -kubeconfig FILE -act
//
// Without -kubeconfig, $KUBECONFIG names the files, as it does for kubectl. Without
// either, the program runs in the cluster. ~/.kube/config is not read: a program that
// deletes acts on a cluster that was named.
//
// Without -act it observes, beside a collector that runs already, and writes
// nothing but, with -events, Events on objects that are held. With -lease kube-system/ownergraph one of several
// programs collects and the others wait. /healthz, /readyz, which names the kinds
// that are not listed, and /metrics are at -listen. run/rbac.yaml of the module
// adapters/clientgo has the rights, and -check prints those that are missing.
//
// It ends on SIGINT and SIGTERM with 0; with 1 if it fails, loses its lease, or
// -check finds something; with 2 for wrong flags.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo/run"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(start(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// options are what the flags say.
type options struct {
	run.Config
	kubeconfig string
	check      bool
	log        slog.Level
}

// parse reads the flags. What is wrong with them has been printed, with the
// usage, when it returns an error.
func parse(args []string, out io.Writer) (o options, err error) {
	f := flag.NewFlagSet("collector", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "the `file` that says how to reach the server (default: the files of $KUBECONFIG; without either, the cluster that this runs in)")
	f.BoolVar(&o.check, "check", false, "print which rights are missing, and end")
	f.TextVar(&o.log, "log", slog.LevelInfo, "the least `level` to log")
	o.Listen = "localhost:8080"
	o.RegisterFlags(f)
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", f.Arg(0))
		fmt.Fprintln(out, err)
		f.Usage()
	}
	return o, err
}

// start runs the program and returns its exit code.
func start(ctx context.Context, args []string, out, errs io.Writer) int {
	o, err := parse(args, errs)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2
	}
	o.Logger = slog.New(slog.NewTextHandler(errs, &slog.HandlerOptions{Level: o.log}))
	server, err := connect(o.kubeconfig)
	if err != nil {
		fmt.Fprintf(errs, "collector: -kubeconfig %q, $KUBECONFIG %q: %v\n", o.kubeconfig, os.Getenv(clientcmd.RecommendedConfigPathEnvVar), err)
		return 2
	}
	program, err := run.New(server, o.Config)
	if err != nil {
		fmt.Fprintln(errs, "collector:", err)
		return 2
	}
	if o.check {
		err = check(ctx, program, out)
	} else {
		err = program.Run(ctx)
	}
	if err != nil {
		fmt.Fprintln(errs, "collector:", err)
		return 1
	}
	return 0
}

// connect returns how to reach the server: by the file, by those that the environment
// names, or from within the cluster.
func connect(kubeconfig string) (*rest.Config, error) {
	rules := clientcmd.ClientConfigLoadingRules{ExplicitPath: kubeconfig}
	if files := os.Getenv(clientcmd.RecommendedConfigPathEnvVar); kubeconfig == "" && files != "" {
		rules.Precedence = filepath.SplitList(files)
	} else if kubeconfig == "" {
		return rest.InClusterConfig()
	}
	config, err := rules.Load()
	if err != nil {
		return nil, err
	}
	return clientcmd.NewDefaultClientConfig(*config, &clientcmd.ConfigOverrides{}).ClientConfig()
}

// check prints the rights that are missing, one a line.
func check(ctx context.Context, program *run.Program, out io.Writer) error {
	missing, err := program.Missing(ctx)
	for _, right := range missing {
		fmt.Fprintln(out, right)
	}
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("%d rights are missing: %w", len(missing), ownergraph.ErrRefused)
	}
	return err
}
