// Package kubeflags has the flags of kubectl that name a cluster, and the clients for it. It does the
// part of k8s.io/cli-runtime that the program needs. That module links kustomize, and the printers of
// kubectl, into each program.
package kubeflags

import (
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/disk"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/homedir"
)

// Flags are the flags that name a cluster. Add binds them. The zero value is ready.
type Flags struct {
	Kubeconfig string
	CacheDir   string
	clientcmd.ConfigOverrides
	asUserExtra []string // KEY=VALUE

	discovery discovery.CachedDiscoveryInterface
}

// Add adds the flags of kubectl to a set.
//
//test:by TestFlags
func (f *Flags) Add(set *pflag.FlagSet) {
	names := clientcmd.RecommendedConfigOverrideFlags("")
	names.ClusterOverrideFlags.APIServer.ShortName = "s"
	clientcmd.BindOverrideFlags(&f.ConfigOverrides, set, names)
	set.StringArrayVar(&f.asUserExtra, "as-user-extra", nil, "extra field KEY=VALUE of the user to impersonate; may stand several times")
	set.StringVar(&f.Kubeconfig, "kubeconfig", "", "path of the kubeconfig file")
	set.StringVar(&f.CacheDir, "cache-dir", defaultCacheDir(), "directory for the cached types of the server")
}

// defaultCacheDir is the directory of kubectl, so both share their caches.
func defaultCacheDir() string {
	if dir := os.Getenv("KUBECACHEDIR"); dir != "" {
		return dir
	}
	return filepath.Join(homedir.HomeDir(), ".kube", "cache")
}

// Names reports whether a flag chooses a cluster.
func (f *Flags) Names() bool {
	return f.Kubeconfig != "" || f.CurrentContext != "" || f.ClusterInfo.Server != "" || f.Context.Cluster != ""
}

func (f *Flags) loader() clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.DefaultClientConfig = &clientcmd.DefaultClientConfig
	rules.ExplicitPath = f.Kubeconfig
	overrides := f.ConfigOverrides
	overrides.ClusterDefaults = clientcmd.ClusterDefaults
	for _, extra := range f.asUserExtra {
		if key, value, is := strings.Cut(extra, "="); is {
			if overrides.AuthInfo.ImpersonateUserExtra == nil {
				overrides.AuthInfo.ImpersonateUserExtra = map[string][]string{}
			}
			overrides.AuthInfo.ImpersonateUserExtra[key] = append(overrides.AuthInfo.ImpersonateUserExtra[key], value)
		}
	}
	return clientcmd.NewInteractiveDeferredLoadingClientConfig(rules, &overrides, os.Stdin)
}

// Config returns the connection to the cluster. It sends no request.
func (f *Flags) Config() (*rest.Config, error) { return f.loader().ClientConfig() }

// Namespace returns the namespace of the flags, or that of the kubeconfig.
func (f *Flags) Namespace() (string, error) {
	name, _, err := f.loader().Namespace()
	return name, err
}

// discoveryBurst is the number of requests for types that go out at once, as in kubectl. A cluster may
// have hundreds of groups.
const discoveryBurst, discoveryQPS = 300, 50

// typesFor is the time for which a cached type counts, as in kubectl.
const typesFor = 6 * time.Hour

// Discovery returns the client for the types of the server. It keeps them in files.
func (f *Flags) Discovery() (discovery.CachedDiscoveryInterface, error) {
	if f.discovery != nil {
		return f.discovery, nil
	}
	config, err := f.Config()
	if err != nil {
		return nil, err
	}
	config.Burst, config.QPS = discoveryBurst, discoveryQPS
	dir := filepath.Join(f.CacheDir, "discovery", hostDir(config.Host))
	f.discovery, err = disk.NewCachedDiscoveryClientForConfig(config, dir, filepath.Join(f.CacheDir, "http"), typesFor)
	return f.discovery, err
}

// hostDir returns the directory that kubectl has for an address: letters, digits, and a few signs.
func hostDir(host string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("_/.()", r) {
			return r
		}
		return '_'
	}, strings.NewReplacer("https://", "", "http://", "").Replace(host))
}

// Mapper returns the types by the names that users type: a resource, a short name or a kind.
func (f *Flags) Mapper() (meta.RESTMapper, error) {
	client, err := f.Discovery()
	if err != nil {
		return nil, err
	}
	return restmapper.NewShortcutExpander(restmapper.NewDeferredDiscoveryRESTMapper(client), client, nil), nil
}
