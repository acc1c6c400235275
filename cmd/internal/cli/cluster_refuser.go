package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/internal/namespace"
)

// maxRefusers bounds the configurations that an answer names.
const maxRefusers = 8

const admissionGroup = "admissionregistration.k8s.io"

// refuser is a webhook or an admission policy that refuses a write.
type refuser struct {
	Type          string `json:"type"` // such as "validating webhook"
	Name          string `json:"name"`
	Configuration string `json:"configuration,omitempty"` // of the webhook, or the binding of the policy
	Service       string `json:"service,omitempty"`       // NAMESPACE/NAME:PORT
	URL           string `json:"url,omitempty"`
	FailurePolicy string `json:"failurePolicy,omitempty"`
	SideEffects   string `json:"sideEffects,omitempty"`
	Parameter     string `json:"parameter,omitempty"` // of a policy
	// Unread is the reason for which the configuration is not known.
	Unread string `json:"unread,omitempty"`
}

// String returns the refuser in one line.
func (f *refuser) String() string {
	s := fmt.Sprintf("the %s %s", f.Type, f.Name)
	var facts []string
	of := "configuration"
	if strings.HasSuffix(f.Type, "policy") {
		of = "binding"
	}
	for _, fact := range [...]struct{ name, value string }{
		{of, f.Configuration}, {"service", f.Service}, {"URL", f.URL}, {"parameter", f.Parameter},
		{"failure policy", f.FailurePolicy}, {"side effects", f.SideEffects}, {"its configuration is not known:", f.Unread},
	} {
		if fact.value != "" {
			facts = append(facts, fact.name+" "+namespace.Clip(fact.value))
		}
	}
	if len(facts) > 0 {
		s += " (" + strings.Join(facts, ", ") + ")"
	}
	return s
}

// refusers returns the webhooks and policies that the text of an error names, with their
// configurations as far as they can be read.
//
//test:by TestTryRemoval
func (r *reading) refusers(ctx context.Context, text string) (list []refuser) {
	if sort, name, binding, is := policyOf(text); is {
		return []refuser{r.policy(ctx, sort, name, binding)}
	}
	name, is := webhookOf(text)
	if !is {
		return nil
	}
	var unread []string
	for _, kind := range [...]string{"mutating", "validating"} {
		found, err := r.webhooks(ctx, kind, name)
		if err != nil {
			unread = append(unread, why("list", kind+"webhookconfigurations", err))
		}
		list = append(list, found...)
	}
	if len(list) == 0 {
		list = []refuser{{Type: "webhook", Name: name, Unread: strings.Join(unread, ", ")}}
	}
	return list[:min(len(list), maxRefusers)]
}

func admissionAt(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: admissionGroup, Version: "v1", Resource: resource}
}

// webhook is the part of a webhook that names its server.
type webhook struct {
	Name          string `json:"name"`
	FailurePolicy string `json:"failurePolicy"`
	SideEffects   string `json:"sideEffects"`
	ClientConfig  struct {
		URL     string `json:"url"`
		Service *struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
			Port      *int32 `json:"port"`
		} `json:"service"`
	} `json:"clientConfig"`
}

// webhooks returns the webhooks with a name. Configurations may share it.
func (r *reading) webhooks(ctx context.Context, kind, name string) (list []refuser, err error) {
	err = r.wholes.list(ctx, pathOf(admissionAt(kind+"webhookconfigurations"), "", ""), func(item json.RawMessage) error {
		var c struct {
			Metadata struct{ Name string } `json:"metadata"`
			Webhooks []webhook             `json:"webhooks"`
		}
		if err := json.Unmarshal(item, &c); err != nil {
			return err
		}
		for _, w := range c.Webhooks {
			if w.Name != name || len(list) == maxRefusers {
				continue
			}
			f := refuser{
				Type: kind + " webhook", Name: name, Configuration: c.Metadata.Name, URL: w.ClientConfig.URL,
				FailurePolicy: w.FailurePolicy, SideEffects: w.SideEffects,
			}
			if b := w.ClientConfig.Service; b != nil {
				f.Service = serviceText(b.Namespace, b.Name, b.Port)
			}
			list = append(list, f)
		}
		return nil
	})
	slices.SortStableFunc(list, func(a, b refuser) int { return cmp.Compare(a.Configuration, b.Configuration) })
	return list, err
}

// policy returns an admission policy with the parameters of its binding.
func (r *reading) policy(ctx context.Context, sort, name, binding string) refuser {
	f := refuser{Type: sort + " admission policy", Name: name, Configuration: binding}
	resource := sort + "admissionpolic"
	var p struct {
		Spec struct {
			FailurePolicy string `json:"failurePolicy"`
			ParamKind     *struct {
				APIVersion string `json:"apiVersion"`
				Kind       string `json:"kind"`
			} `json:"paramKind"`
		} `json:"spec"`
	}
	if err := r.wholes.get(ctx, pathOf(admissionAt(resource+"ies"), "", name), &p); err != nil {
		f.Unread = why("get", resource+"ies", err)
		return f
	}
	f.FailurePolicy = p.Spec.FailurePolicy
	if k := p.Spec.ParamKind; k != nil {
		f.Parameter = k.APIVersion + " " + k.Kind
	}
	if binding == "" { // the policy itself has a fault
		return f
	}
	var b struct {
		Spec struct {
			ParamRef *struct {
				Name      string `json:"name"`
				Namespace string `json:"namespace"`
				Missing   string `json:"parameterNotFoundAction"`
			} `json:"paramRef"`
		} `json:"spec"`
	}
	if err := r.wholes.get(ctx, pathOf(admissionAt(resource+"ybindings"), "", binding), &b); err != nil {
		f.Unread = why("get", resource+"ybindings", err)
		return f
	}
	if ref := b.Spec.ParamRef; ref != nil {
		f.Parameter = strings.TrimSpace(fmt.Sprintf("%s %s", f.Parameter, strings.TrimPrefix(ref.Namespace+"/"+ref.Name, "/")))
		if ref.Missing != "" {
			f.Parameter += ", if it is missing: " + ref.Missing
		}
	}
	return f
}
