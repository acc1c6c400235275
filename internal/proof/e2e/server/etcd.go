package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Etcd returns a client of the database below the API server, which has the true
// history. The caller closes the client.
func (s *Server) Etcd() (*clientv3.Client, error) {
	c, err := clientv3.New(clientv3.Config{
		Endpoints:   []string{"unix://" + filepath.Join(s.dir, "etcd.sock:1")},
		DialOptions: []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())},
	})
	if err != nil {
		return nil, fmt.Errorf("connect to etcd: %w", err)
	}
	return c, nil
}

// Compact makes the database forget its past. It also restarts the API server, so that
// it forgets its memory of that past. It returns when the server answers.
func (s *Server) Compact(ctx context.Context) error {
	c, err := s.Etcd()
	if err != nil {
		return err
	}
	defer c.Close()
	now, err := c.Get(ctx, "/", clientv3.WithCountOnly())
	if err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	if _, err := c.Compact(ctx, now.Header.Revision, clientv3.WithCompactPhysical()); err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	return s.Restart(ctx)
}

// Backup keeps a copy of all data of the server. The function returned restores that
// copy. Both restart the server, and return when it answers. Stop removes the copy.
func (s *Server) Backup(ctx context.Context) (restore func(context.Context) error, err error) {
	data := filepath.Join(s.dir, "data")
	backup, err := os.MkdirTemp(s.dir, "backup-")
	if err != nil {
		return nil, fmt.Errorf("back up: %w", err)
	}
	copied := filepath.Join(backup, "data")
	err = s.offline(ctx, func() error { return os.CopyFS(copied, os.DirFS(data)) })
	if err != nil {
		return nil, fmt.Errorf("back up: %w", err)
	}
	return func(ctx context.Context) error {
		err := s.offline(ctx, func() error {
			return errors.Join(os.RemoveAll(data), os.CopyFS(data, os.DirFS(copied)))
		})
		if err != nil {
			return fmt.Errorf("restore: %w", err)
		}
		return nil
	}, nil
}

// offline calls a function while neither program runs.
func (s *Server) offline(ctx context.Context, do func() error) error {
	s.StopAPI()
	s.get(&s.etcd).Stop()
	if err := do(); err != nil {
		return err
	}
	if err := s.startEtcd(); err != nil {
		return err
	}
	return s.StartAPI(ctx)
}
