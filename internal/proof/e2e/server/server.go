package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/ownergraph/ownergraph/internal/servers"
)

// Server is an API server with its etcd. Use Start. It is safe for concurrent use,
// except for the methods that stop or restart a process. They are called one at a time.
type Server struct {
	config   Config
	binaries Binaries
	dir      string
	port     int
	life     context.Context
	end      context.CancelFunc

	mu        sync.Mutex // guards the fields below
	etcd, api *servers.Process
}

// Start starts a server and returns when it answers. An error shows the ends of the
// logs, and no process is left then.
//
//test:by TestServer TestStartFails internal/servers.TestDiesWithParent
func Start(ctx context.Context, config Config) (*Server, error) {
	config, err := config.filled()
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(config.Output, "looking for etcd and kube-apiserver; what is not in the cache is built, which takes minutes")
	binaries, err := Build(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "ownergraph-server-")
	if err != nil {
		return nil, fmt.Errorf("start server: %w", err)
	}
	s := &Server{config: config, binaries: binaries, dir: dir}
	s.life, s.end = context.WithTimeout(context.Background(), config.Lifetime)
	if err := s.start(ctx); err != nil {
		err = fmt.Errorf("start server: %w\n%s", err, s.Logs())
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

func (s *Server) start(ctx context.Context) error {
	if err := prepare(s.dir, s.config.Users); err != nil {
		return err
	}
	if err := s.startEtcd(); err != nil {
		return err
	}
	for tries := 1; ; tries++ {
		port, err := freePort()
		if err != nil {
			return err
		}
		s.port = port
		// Another program may have taken the port meanwhile.
		if err = s.StartAPI(ctx); err == nil || tries == maxPorts || s.get(&s.api).Alive() {
			return err
		}
	}
}

const maxPorts = 3 // that are tried

// freePort returns a port on which no program listens.
func freePort() (int, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// Sockets have short names and are in the folder of both programs, since the path of a
// socket has to be short.
const (
	etcdSocket = "unix://etcd.sock:1"
	peerSocket = "unix://peer.sock:1"
)

func (s *Server) startEtcd() error {
	args := append([]string{
		"--data-dir=data", "--unsafe-no-fsync", "--log-level=warn",
		"--listen-client-urls=" + etcdSocket, "--advertise-client-urls=" + etcdSocket,
		"--listen-peer-urls=" + peerSocket,
	}, s.config.EtcdFlags...)
	p, err := servers.Launch(s.life, s.dir, "etcd", s.binaries.Etcd, args...)
	s.set(func() { s.etcd = p })
	return err
}

// StartAPI starts the API server again after StopAPI, at the same address, and returns
// when it answers.
func (s *Server) StartAPI(ctx context.Context) error {
	args := append([]string{
		"--etcd-servers=" + etcdSocket, "--cert-dir=" + filepath.Join(s.dir, "certs"),
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", fmt.Sprint("--secure-port=", s.port),
		"--service-account-issuer=https://localhost",
		"--service-account-key-file=" + keyFile, "--service-account-signing-key-file=" + keyFile,
		"--token-auth-file=" + tokensFile, "--authorization-mode=RBAC",
		"--endpoint-reconciler-type=none", "--service-cluster-ip-range=10.0.0.0/24",
		"--disable-admission-plugins=ServiceAccount,StorageObjectInUseProtection",
	}, s.config.Flags...)
	p, err := servers.Launch(s.life, s.dir, "kube-apiserver", s.binaries.APIServer, args...)
	if err != nil {
		return err
	}
	s.set(func() { s.api = p })
	return s.ready(ctx)
}

// StopAPI kills the API server, and its data stay. It returns when the process is gone.
func (s *Server) StopAPI() { s.get(&s.api).Stop() }

// Restart kills the API server and starts it again, at the same address. It returns
// when the server answers.
func (s *Server) Restart(ctx context.Context) error {
	s.StopAPI()
	return s.StartAPI(ctx)
}

// ready waits until the API server answers all requests that a test needs.
func (s *Server) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadyWithin)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		err := s.ask(ctx)
		if err == nil {
			return nil
		}
		for _, p := range []*servers.Process{s.get(&s.etcd), s.get(&s.api)} {
			if !p.Alive() {
				return fmt.Errorf("wait until ready: %s has ended\n%s", p.Name(), p.Tail())
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until ready: %w: %w\n%s", context.Cause(ctx), err, s.Logs())
		case <-tick.C:
		}
	}
}

func (s *Server) ask(ctx context.Context) error {
	c := s.Admin()
	c.Timeout = 5 * time.Second
	client, err := kubernetes.NewForConfig(c) // not before the server has signed its certificate
	if err != nil {
		return err
	}
	if err := client.RESTClient().Get().AbsPath("/readyz").Do(ctx).Error(); err != nil {
		return err
	}
	_, err = client.CoreV1().Namespaces().Get(ctx, "default", metav1.GetOptions{})
	return err
}

// Stop ends the processes and removes the server's folder. A second call has no effect.
func (s *Server) Stop() error {
	s.end()
	for _, p := range []*servers.Process{s.get(&s.api), s.get(&s.etcd)} {
		if p != nil {
			p.Stop()
		}
	}
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("stop server: %w", err)
	}
	return nil
}

// Logs returns the ends of both logs, for a failed test.
func (s *Server) Logs() string {
	text := ""
	for _, p := range []*servers.Process{s.get(&s.etcd), s.get(&s.api)} {
		if p != nil {
			text += p.Tail() + "\n"
		}
	}
	return text
}

// Dir returns the server's folder, with the logs etcd.log and kube-apiserver.log. Stop
// removes it.
func (s *Server) Dir() string { return s.dir }

// PIDs returns the processes of etcd and of kube-apiserver, to measure them.
func (s *Server) PIDs() (etcd, api int) { return s.get(&s.etcd).PID(), s.get(&s.api).PID() }

func (s *Server) url() string { return fmt.Sprint("https://127.0.0.1:", s.port) }

func (s *Server) set(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

func (s *Server) get(p **servers.Process) *servers.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *p
}
