package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/disk"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/judge"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/proxy"
	"github.com/ownergraph/ownergraph/internal/servers"
	"github.com/ownergraph/ownergraph/internal/servers/etcd"
)

// etcdSite has each database under a prefix of one server, behind a proxy. The data of the
// server are on a small disk.
type etcdSite struct {
	disk   *disk.Disk
	server *servers.Server
	proxy  *proxy.Proxy
	direct *clientv3.Client
	prefix string
	first  int64 // the revision before the database
}

func newEtcdSite(ctx context.Context) (site, error) {
	s := &etcdSite{}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *etcdSite) start(ctx context.Context) (err error) {
	if s.disk, err = disk.Mount(400 << 20); err != nil {
		return err
	}
	s.server, err = etcd.Start(ctx, etcd.Config{Flags: []string{
		"--data-dir=" + filepath.Join(s.disk.Dir(), "data"), "--snapshot-count=100",
	}})
	if err != nil {
		return err
	}
	if s.direct, err = dialEtcd(s.server.Address()); err != nil {
		return err
	}
	s.proxy, err = proxy.Listen("tcp4", "127.0.0.1:0", s.server.Address(), 1)
	return err
}

func (s *etcdSite) fresh(ctx context.Context, seed uint64) error {
	s.prefix = fmt.Sprintf("round%d/", seed)
	if err := s.serves(ctx); err != nil {
		return err
	}
	r, err := s.direct.Delete(ctx, s.prefix, clientv3.WithPrefix())
	if err == nil {
		s.first = r.Header.Revision
	}
	return err
}

func (s *etcdSite) target() target {
	return target{Store: "etcd", Address: s.proxy.Address(), Space: s.prefix}
}

func (s *etcdSite) objects(ctx context.Context) ([]graph.Object, error) {
	return etcdRead{s.direct, s.prefix}.objects(ctx)
}

func (s *etcdSite) content(ctx context.Context) (*judge.Content, error) {
	return etcdRead{s.direct, s.prefix}.content(ctx, s.first)
}

func (s *etcdSite) faults() []fault {
	return []fault{
		{"kill-server", s.kill}, {"full-disk", s.fill}, {"cut", s.cut}, {"lose-answers", s.lose}, {"read-only", s.readOnly},
	}
}

func (s *etcdSite) kill(context.Context, *rand.Rand) (func(context.Context) error, error) {
	s.server.Kill()
	return s.server.Launch, nil
}

// fill fills the disk. The server may end from that, and is started again then.
func (s *etcdSite) fill(context.Context, *rand.Rand) (func(context.Context) error, error) {
	return func(ctx context.Context) error {
		if err := s.disk.Free(); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		return s.serves(ctx)
	}, s.disk.Fill()
}

// serves waits until the server takes a write. It starts a server that has ended.
func (s *etcdSite) serves(ctx context.Context) error {
	for {
		if !s.server.Process().Alive() {
			if err := s.server.Launch(ctx); err != nil {
				return err
			}
		}
		short, cancel := context.WithTimeout(ctx, time.Second)
		_, err := s.direct.Put(short, "storefaults", "serves")
		cancel()
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
}

func (s *etcdSite) cut(_ context.Context, rnd *rand.Rand) (func(context.Context) error, error) {
	s.proxy.Cut(100 + rnd.IntN(8000))
	return func(context.Context) error { s.proxy.Calm(); return nil }, nil
}

func (s *etcdSite) lose(context.Context, *rand.Rand) (func(context.Context) error, error) {
	s.proxy.Lose()
	return func(context.Context) error { s.proxy.Calm(); return nil }, nil
}

// readOnly raises the alarm of a database that has reached its quota. The server refuses
// every write but deletions then.
func (s *etcdSite) readOnly(ctx context.Context, _ *rand.Rand) (func(context.Context) error, error) {
	return func(ctx context.Context) error { return s.alarm(ctx, pb.AlarmRequest_DEACTIVATE) }, s.alarm(ctx, pb.AlarmRequest_ACTIVATE)
}

func (s *etcdSite) alarm(ctx context.Context, what pb.AlarmRequest_AlarmAction) error {
	return persist(ctx, func() error {
		status, err := s.direct.Status(ctx, s.server.Address())
		if err != nil {
			return err
		}
		_, err = pb.NewMaintenanceClient(s.direct.ActiveConnection()).Alarm(ctx, &pb.AlarmRequest{
			Action: what, Alarm: pb.AlarmType_NOSPACE, MemberID: status.Header.MemberId,
		})
		return err
	})
}

// end removes the data of a round, so that the disk lasts for all rounds.
func (s *etcdSite) end() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s.proxy.Calm()
	if err := s.serves(ctx); err != nil {
		return err
	}
	r, err := s.direct.Delete(ctx, s.prefix, clientv3.WithPrefix())
	if err != nil {
		return err
	}
	_, err = s.direct.Compact(ctx, r.Header.Revision)
	return err
}

func (s *etcdSite) close() (err error) {
	if s.proxy != nil {
		err = s.proxy.Close()
	}
	if s.direct != nil {
		err = errors.Join(err, s.direct.Close())
	}
	if s.server != nil {
		err = errors.Join(err, s.server.Stop())
	}
	if s.disk != nil {
		err = errors.Join(err, s.disk.Unmount())
	}
	return err
}
