package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
)

// release is a version of a server.
type release struct{ major, minor, patch int }

// leastOf are the oldest releases of each minor version that the store accepts where
// authentication is on. Older ones let a user see or change keys without the right to.
func leastOf(minor int) (release, bool) {
	switch minor {
	case 5:
		return release{3, 5, 33}, true
	case 6:
		return release{3, 6, 14}, true
	case 7:
		return release{3, 7, 1}, true
	}
	return release{}, minor > 7
}

// leastProgress is the oldest release whose progress reports cover all events before them.
// Fences need that.
func leastProgress() release { return release{3, 5, 8} }

func (r release) less(o release) bool {
	if r.major != o.major {
		return r.major < o.major
	}
	if r.minor != o.minor {
		return r.minor < o.minor
	}
	return r.patch < o.patch
}

func (r release) String() string { return fmt.Sprintf("%d.%d.%d", r.major, r.minor, r.patch) }

// parseRelease reads a version such as "3.6.8" or "3.7.0-rc.0".
func parseRelease(text string) (r release, err error) {
	core, _, _ := strings.Cut(text, "-")
	parts := strings.Split(core, ".")
	if len(parts) != 3 {
		return r, fmt.Errorf("%q is no version", text)
	}
	for i, into := range []*int{&r.major, &r.minor, &r.patch} {
		if *into, err = strconv.Atoi(parts[i]); err != nil {
			return r, fmt.Errorf("%q is no version", text)
		}
	}
	return r, nil
}

// judgeServer returns the reason to refuse a server of that version, or nil.
//
//test:by TestServerVersions
func judgeServer(text string, auth bool) error {
	r, err := parseRelease(text)
	if err != nil {
		return fmt.Errorf("version: %w", err)
	}
	if r.less(leastProgress()) {
		return fmt.Errorf("version %s: fences need %s or later: %w", text, leastProgress(), graph.ErrRefused)
	}
	if !auth || r.major > 3 {
		return nil
	}
	least, known := leastOf(r.minor)
	if !known || r.less(least) {
		return fmt.Errorf("version %s: authentication is on, which needs 3.5.33, 3.6.14, 3.7.1 or later: %w", text, graph.ErrRefused)
	}
	return nil
}

// checkOnce checks the servers before the first use of the store. Several callers wait for
// one check.
func (s *Store) checkOnce(ctx context.Context) error {
	if s.checked.Load() {
		return nil
	}
	s.checking.Lock()
	defer s.checking.Unlock()
	if s.checked.Load() {
		return nil
	}
	return s.checkAll(ctx)
}

// checkAll checks the servers and the version of the prefix.
func (s *Store) checkAll(ctx context.Context) error {
	if err := s.checkServers(ctx); err != nil {
		return err
	}
	err := s.checkVersion(ctx)
	if err == nil {
		err = s.beginPolicies(ctx)
	}
	if err != nil {
		return fmt.Errorf("check the prefix: %w", err)
	}
	s.checked.Store(true)
	return nil
}

// checkServers asks for the versions of the servers, and whether authentication is on.
func (s *Store) checkServers(ctx context.Context) error {
	if s.conf.Kine { // it has no authentication, and makes its version up
		return nil
	}
	auth := false
	err := s.checkServer(ctx)
	if err == nil {
		auth, err = s.authentication(ctx)
	}
	if err == nil && auth {
		err = s.checkEndpoints(ctx)
	}
	if err != nil {
		return fmt.Errorf("check the servers: %w", err)
	}
	return nil
}

// checkServer asks the server at the other end of the client's connection.
func (s *Store) checkServer(ctx context.Context) error {
	status, err := pb.NewMaintenanceClient(s.client.ActiveConnection()).Status(ctx, &pb.StatusRequest{}, grpc.WaitForReady(true))
	if err != nil {
		return refusal(rpctypes.Error(err))
	}
	if status.Header.GetClusterId() == 0 {
		return fmt.Errorf("the server is no etcd: set Config.Kine for kine: %w", graph.ErrRefused)
	}
	return judgeServer(status.Version, false)
}

// checkEndpoints asks every endpoint of the client. An endpoint without an answer is no
// error if another one answers.
func (s *Store) checkEndpoints(ctx context.Context) error {
	answers := 0
	var failed error
	for _, endpoint := range s.client.Endpoints() {
		status, err := s.client.Status(ctx, endpoint)
		if err == nil {
			answers++
			err = judgeServer(status.Version, true)
		}
		if err != nil {
			err = fmt.Errorf("server %s: %w", endpoint, refusal(err))
		}
		if errors.Is(err, graph.ErrRefused) {
			return err
		}
		failed = errors.Join(failed, err)
	}
	if answers == 0 {
		return failed
	}
	return nil
}

// authentication reports whether the cluster demands users. A server that hides the answer
// from this user does.
func (s *Store) authentication(ctx context.Context) (bool, error) {
	status, err := s.client.AuthStatus(ctx)
	switch {
	case errors.Is(err, rpctypes.ErrPermissionDenied), errors.Is(err, rpctypes.ErrUserEmpty):
		return true, nil
	case err != nil:
		return false, refusal(err)
	}
	return status.Enabled, nil
}
