package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

const (
	admin       = "admin"
	masters     = "system:masters" // has all rights
	keyFile     = "service-account.key"
	tokensFile  = "tokens.csv"
	certificate = "certs/apiserver.crt"
)

// prepare writes the files by which the API server knows its users.
func prepare(dir string, users []string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
	if err := os.WriteFile(filepath.Join(dir, keyFile), text, 0o600); err != nil {
		return err
	}
	tokens := &strings.Builder{}
	fmt.Fprintf(tokens, "%s,%s,%s,%q\n", token(admin), admin, admin, masters)
	for _, u := range users {
		fmt.Fprintf(tokens, "%s,%q,%q\n", token(u), u, u)
	}
	return os.WriteFile(filepath.Join(dir, tokensFile), []byte(tokens.String()), 0o600)
}

// token returns the token of a user. The server listens on this machine only, has no
// secrets, and does not live long.
func token(user string) string { return fmt.Sprintf("token-%x", user) }

// Admin returns a config for a user with all rights. The caller owns it. Its requests
// are not throttled.
func (s *Server) Admin() *rest.Config { return s.as(admin) }

// User returns a config for a user of Config.Users. The server refuses an unknown one.
func (s *Server) User(name string) *rest.Config { return s.as(name) }

func (s *Server) as(user string) *rest.Config {
	return &rest.Config{
		Host: s.url(), BearerToken: token(user), QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{CAFile: filepath.Join(s.dir, certificate)},
	}
}

// Kubeconfig writes a kubeconfig for the administrator into the server's folder and
// returns its path.
func (s *Server) Kubeconfig() (string, error) {
	c := api.NewConfig()
	c.Clusters["ownergraph"] = &api.Cluster{Server: s.url(), CertificateAuthority: filepath.Join(s.dir, certificate)}
	c.AuthInfos[admin] = &api.AuthInfo{Token: token(admin)}
	c.Contexts["ownergraph"] = &api.Context{Cluster: "ownergraph", AuthInfo: admin, Namespace: "default"}
	c.CurrentContext = "ownergraph"
	path := filepath.Join(s.dir, "kubeconfig")
	if err := clientcmd.WriteToFile(*c, path); err != nil {
		return "", fmt.Errorf("write kubeconfig: %w", err)
	}
	return path, nil
}
