// Command collector is the garbage collector of kube-controller-manager as a program of
// its own, for API servers that run without it:
//
//	go run . -kubeconfig FILE -act
//
// Without -kubeconfig, $KUBECONFIG names the files, as for kubectl. Without either, the
// program uses the cluster that it runs in. It does not read ~/.kube/config, because a
// program that deletes must act only on a named cluster.
//
// Without -act it only observes, beside another collector. Then it writes nothing,
// except Events on held objects with -events. With -share auto several programs divide the
// objects. With -lease kube-system/ownergraph one of them collects, and the others wait.
//
// With -act it deletes at most 1,000 objects of one cascade without an approval: see -brake.
// With -record kube-system/ownergraph-collector, pauses and approvals survive a restart. The
// flags -pause, -resume, -approve and -refuse change that record, and the program ends. So
// does -retire, which takes the finalizers of former guards off.
//
// The program serves /healthz, /readyz and /metrics at -listen. /readyz names the kinds
// that are not listed. run/deploy of the module adapters/clientgo has manifests and the rights,
// and -check prints the missing ones.
//
// The program ends on SIGINT and SIGTERM with status 0. It ends with 1 after an error,
// after the loss of its Lease, and if -check finds a missing right. It ends with 2 for
// wrong flags.
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

// options are the values of the flags.
type options struct {
	run.Config
	kubeconfig string
	check      bool
	log        slog.Level
}

// parse reads the flags. Before it returns an error, it prints the error and the usage.
func parse(args []string, out io.Writer) (o options, err error) {
	f := flag.NewFlagSet("collector", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "the kubeconfig `file` (default: the files of $KUBECONFIG; without either, the cluster that the program runs in)")
	f.BoolVar(&o.check, "check", false, "print the missing rights, and end")
	f.TextVar(&o.log, "log", slog.LevelInfo, "the lowest `level` to log")
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

// start runs the program and returns its exit status.
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

// connect returns the rest config of the server. It reads the file, or the files of the
// environment, or the config of the cluster.
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

// check prints the missing rights, one in each line.
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
