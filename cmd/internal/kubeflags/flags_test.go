package kubeflags

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/pflag"
)

// kubeconfig has two contexts. The current one is dev.
const kubeconfig = `{"apiVersion":"v1","kind":"Config","current-context":"dev",
"clusters":[{"name":"d","cluster":{"server":"http://127.0.0.1:1"}},{"name":"p","cluster":{"server":"http://127.0.0.1:2"}}],
"users":[{"name":"u","user":{}}],
"contexts":[{"name":"dev","context":{"cluster":"d","user":"u","namespace":"shop"}},{"name":"prod","context":{"cluster":"p","user":"u"}}]}`

// TestFlags checks that each flag of kubectl has its effect.
func TestFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args            []string
		host, namespace string
		names           bool
		reason          string
	}{
		{nil, "http://127.0.0.1:1", "shop", true, "the current context"},
		{[]string{"--context", "prod"}, "http://127.0.0.1:2", "default", true, "another context"},
		{[]string{"-n", "data"}, "http://127.0.0.1:1", "data", true, "a namespace"},
		{[]string{"-s", "http://127.0.0.1:3"}, "http://127.0.0.1:3", "shop", true, "a server, by its short flag"},
		{[]string{"--as", "a", "--as-group", "g", "--as-user-extra", "k=v", "--as-user-extra", "none"}, "http://127.0.0.1:1", "shop", true, "another account"},
	} {
		var f Flags
		set := pflag.NewFlagSet("test", pflag.ContinueOnError)
		f.Add(set)
		if err := set.Parse(append(c.args, "--kubeconfig", file)); err != nil {
			t.Fatal(err)
		}
		config, err := f.Config()
		if err != nil {
			t.Fatal(err)
		}
		namespace, err := f.Namespace()
		if err != nil || config.Host != c.host || namespace != c.namespace || f.Names() != c.names {
			t.Errorf("%v: host %s, namespace %s, error %v: %s", c.args, config.Host, namespace, err, c.reason)
		}
		if as := config.Impersonate; as.UserName != "" && (as.Groups[0] != "g" || as.Extra["k"][0] != "v" || len(as.Extra) != 1) {
			t.Errorf("%v: %+v: %s", c.args, as, c.reason)
		}
	}
	var none Flags
	none.Add(pflag.NewFlagSet("test", pflag.ContinueOnError))
	if none.Names() {
		t.Error("no flag chooses a cluster")
	}
	if got, want := hostDir("https://10.0.0.1:6443/a(b)"), "10.0.0.1_6443/a(b)"; got != want {
		t.Errorf("the directory is %s, want %s as kubectl has it", got, want)
	}
}
