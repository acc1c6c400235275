package clientgo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

const (
	acceptObject = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1," +
		"application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
	acceptList = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1," +
		"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
	defaultAgent = "ownergraph"
)

// client sends the requests of a Store, each of them once. It requests metadata, except
// for namespaces. The callers decide about retries. client-go's metadata client differs
// in that: it waits and sends again by itself.
type client struct {
	rest   *rest.RESTClient
	http   *http.Client
	config *rest.Config // for discovery
	params runtime.ParameterCodec
	codec  metadataCodec
	log    logr.Logger // of client-go itself
	writes throttle
}

// newClient makes a client. There is no rate limit unless the config sets one, because the
// server reports its load itself.
func newClient(c *rest.Config, log *slog.Logger) (*client, error) {
	config := metadata.ConfigFor(c)
	if c.UserAgent == "" {
		config.UserAgent = defaultAgent
	}
	if config.QPS == 0 && config.RateLimiter == nil {
		config.QPS = -1
	}
	if config.WarningHandler == nil { // client-go prefers a WarningHandlerWithContext to it
		config.WarningHandler = rest.NoWarnings{}
	}
	config.Timeout = 0 // it would end watches; every request has a context
	codec := newMetadataCodec(config.NegotiatedSerializer)
	config.NegotiatedSerializer = codec
	config.GroupVersion = &schema.GroupVersion{}
	config.APIPath = "/"
	plain, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	sender := *plain
	sender.Transport = once{plain.Transport}
	plain = &sender
	r, err := rest.RESTClientForConfigAndClient(config, plain)
	if err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	return &client{
		rest: r, http: plain, config: discoveryConfig(config), params: runtime.NewParameterCodec(scheme), codec: codec,
		log: requestLog(log),
	}, nil
}

// logContext returns a context that sends client-go's log records of a request to the
// store's logger.
func (c *client) logContext(ctx context.Context) context.Context { return klog.NewContext(ctx, c.log) }

// discoveryConfig returns the config for discovery, which speaks JSON.
func discoveryConfig(c *rest.Config) *rest.Config {
	out := rest.CopyConfig(c)
	out.ContentConfig = rest.ContentConfig{}
	out.APIPath = ""
	return out
}

// segments returns the path of a resource's objects, or of one object.
func segments(at schema.GroupVersionResource, scope, name string) []string {
	out := []string{"apis", at.Group, at.Version}
	if at.Group == "" {
		out = []string{"api", at.Version}
	}
	if scope != "" {
		out = append(out, "namespaces", scope)
	}
	out = append(out, at.Resource)
	if name != "" {
		out = append(out, name)
	}
	return out
}

// accept returns the Accept header for objects or lists of a resource.
func accept(at schema.GroupVersionResource, reduced string) string {
	if readsWhole(at) {
		return acceptWhole
	}
	return reduced
}

func (c *client) get(ctx context.Context, at schema.GroupVersionResource, scope, name string) (*metav1.PartialObjectMetadata, error) {
	out := &metav1.PartialObjectMetadata{}
	err := decode(c.rest.Get().MaxRetries(0).AbsPath(segments(at, scope, name)...).
		SetHeader("Accept", accept(at, acceptObject)).Do(c.logContext(ctx)), out)
	return out, err
}

func (c *client) list(ctx context.Context, at schema.GroupVersionResource, opts metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	return c.listIn(ctx, at, "", opts)
}

// listIn lists the objects of one namespace, or of all for "".
func (c *client) listIn(ctx context.Context, at schema.GroupVersionResource, scope string, opts metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	out := &metav1.PartialObjectMetadataList{}
	err := decode(c.rest.Get().MaxRetries(0).AbsPath(segments(at, scope, "")...).
		SetHeader("Accept", accept(at, acceptList)).
		SpecificallyVersionedParams(&opts, c.params, schema.GroupVersion{Version: "v1"}).Do(c.logContext(ctx)), out)
	return out, err
}

func (c *client) watch(ctx context.Context, at schema.GroupVersionResource, opts metav1.ListOptions) (watch.Interface, error) {
	opts.Watch = true
	return c.rest.Get().MaxRetries(0).AbsPath(segments(at, "", "")...).
		SetHeader("Accept", accept(at, acceptObject)).
		SpecificallyVersionedParams(&opts, c.params, schema.GroupVersion{Version: "v1"}).Watch(c.logContext(ctx))
}

// patch sends a JSON patch.
func (c *client) patch(ctx context.Context, at schema.GroupVersionResource, scope, name string, ops []operation) error {
	body, err := json.Marshal(ops)
	if err != nil {
		return err
	}
	return c.rest.Patch(types.JSONPatchType).MaxRetries(0).AbsPath(segments(at, scope, name)...).
		SetHeader("Accept", acceptObject).Body(body).Do(c.logContext(ctx)).Error()
}

// raw returns an object, or for no name the list of all, as JSON.
func (c *client) raw(ctx context.Context, at schema.GroupVersionResource, scope, name string) ([]byte, error) {
	result := c.rest.Get().MaxRetries(0).AbsPath(segments(at, scope, name)...).
		SetHeader("Accept", runtime.ContentTypeJSON).Do(c.logContext(ctx))
	if err := result.Error(); err != nil {
		return nil, err
	}
	return result.Raw()
}

// put replaces a subresource of an object without a namespace.
func (c *client) put(ctx context.Context, at schema.GroupVersionResource, name, part string, object any) error {
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return c.rest.Put().MaxRetries(0).AbsPath(append(segments(at, "", name), part)...).
		SetHeader("Accept", acceptWhole).SetHeader("Content-Type", runtime.ContentTypeJSON).Body(body).Do(c.logContext(ctx)).Error()
}

// delete sends its options as JSON, the one encoding that every server reads.
func (c *client) delete(ctx context.Context, at schema.GroupVersionResource, scope, name string, opts metav1.DeleteOptions) error {
	opts.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"}
	body, err := json.Marshal(opts)
	if err != nil {
		return err
	}
	return c.rest.Delete().MaxRetries(0).AbsPath(segments(at, scope, name)...).
		SetHeader("Content-Type", runtime.ContentTypeJSON).Body(body).Do(c.logContext(ctx)).Error()
}

// errNoMetadata says that a server's answer is of another type than the request.
var errNoMetadata = errors.New("the server's answer is not object metadata")

// decode reads metadata. A server that cannot reduce its objects to metadata sends them
// whole. Then decode takes the metadata from the object.
func decode(result rest.Result, out runtime.Object) error {
	if err := result.Error(); err != nil {
		return err
	}
	got, err := result.Get()
	if err == nil {
		switch got := got.(type) {
		case *metav1.PartialObjectMetadata:
			if o, ok := out.(*metav1.PartialObjectMetadata); ok {
				*o = *got
				return nil
			}
		case *metav1.PartialObjectMetadataList:
			if o, ok := out.(*metav1.PartialObjectMetadataList); ok {
				*o = *got
				return nil
			}
		}
		return fmt.Errorf("%w, but %T", errNoMetadata, got)
	}
	if !runtime.IsNotRegisteredError(err) {
		return err
	}
	raw, err := result.Raw()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("%w: %w", errNoMetadata, err)
	}
	return nil
}
