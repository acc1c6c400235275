package upstream

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// The number of nodes, and the pods that each may have, as in upstream's default. So the specs with
// the most pods have 100.
const (
	nodes       = 2
	podsPerNode = "110"
)

// kubelets stands in for the scheduler and for the kubelets of nodes without a machine.
type kubelets struct {
	client kubernetes.Interface
	pods   corelisters.PodLister
	synced cache.InformerSynced
	queue  workqueue.TypedRateLimitingInterface[cache.ObjectName]
}

// newKubelets creates the nodes. The caller starts the informer before Run.
func newKubelets(ctx context.Context, client kubernetes.Interface, pods coreinformers.PodInformer) (*kubelets, error) {
	for i := range nodes {
		if err := createNode(ctx, client, nodeName(i)); err != nil {
			return nil, err
		}
	}
	k := &kubelets{
		client: client, pods: pods.Lister(),
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](10*time.Millisecond, 5*time.Second)),
	}
	handler, err := pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    k.observe,
		UpdateFunc: func(_, now any) { k.observe(now) },
	})
	if err != nil {
		return nil, fmt.Errorf("watch pods: %w", err)
	}
	k.synced = handler.HasSynced
	return k, nil
}

func nodeName(i int) string { return fmt.Sprint("node-", i) }

// createNode creates a node that is ready. The API server taints a new node until a controller sees
// that the node is ready.
func createNode(ctx context.Context, client kubernetes.Interface, name string) error {
	n, err := client.CoreV1().Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("create node: %w", err)
	}
	n.Status.Capacity = corev1.ResourceList{corev1.ResourcePods: resource.MustParse(podsPerNode)}
	n.Status.Allocatable = n.Status.Capacity
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	if n, err = client.CoreV1().Nodes().UpdateStatus(ctx, n, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("report node: %w", err)
	}
	n.Spec.Taints = nil
	if _, err = client.CoreV1().Nodes().Update(ctx, n, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("untaint node: %w", err)
	}
	return nil
}

func (k *kubelets) observe(now any) {
	if p, ok := now.(*corev1.Pod); ok {
		k.queue.Add(cache.MetaObjectToName(p))
	}
}

// Run works until the context ends.
func (k *kubelets) Run(ctx context.Context, workers int) {
	if !cache.WaitForCacheSync(ctx.Done(), k.synced) {
		return
	}
	var work sync.WaitGroup
	for range workers {
		work.Go(func() {
			for k.next(ctx) {
			}
		})
	}
	<-ctx.Done()
	k.queue.ShutDown()
	work.Wait()
}

// next takes one step with one pod. It returns false after the queue has ended.
func (k *kubelets) next(ctx context.Context) bool {
	name, ended := k.queue.Get()
	if ended {
		return false
	}
	defer k.queue.Done(name)
	err := k.step(ctx, name)
	if err != nil && !apierrors.IsNotFound(err) {
		k.queue.AddRateLimited(name)
		return true
	}
	k.queue.Forget(name)
	return true
}

// step takes the next step of a pod's life. The pod's event leads to the step after it.
func (k *kubelets) step(ctx context.Context, name cache.ObjectName) error {
	p, err := k.pods.Pods(name.Namespace).Get(name.Name)
	if err != nil {
		return err
	}
	pods := k.client.CoreV1().Pods(p.Namespace)
	switch {
	case p.DeletionTimestamp != nil && p.DeletionGracePeriodSeconds != nil && *p.DeletionGracePeriodSeconds == 0:
		return nil // only finalizers hold it
	case p.DeletionTimestamp != nil:
		return pods.Delete(ctx, p.Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64), Preconditions: metav1.NewUIDPreconditions(string(p.UID))})
	case p.Spec.NodeName == "":
		return pods.Bind(ctx, &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name, UID: p.UID},
			Target:     corev1.ObjectReference{Kind: "Node", Name: nodeOf(p)},
		}, metav1.CreateOptions{})
	case p.Status.Phase == corev1.PodPending:
		_, err = pods.UpdateStatus(ctx, running(p), metav1.UpdateOptions{})
		return err
	}
	return nil
}

// nodeOf chooses a node for a pod.
func nodeOf(p *corev1.Pod) string { return nodeName(int(p.UID[len(p.UID)-1]) % nodes) }

// running returns the pod with the status of one that runs and is ready.
func running(p *corev1.Pod) *corev1.Pod {
	p = p.DeepCopy()
	now := metav1.Now()
	p.Status.Phase, p.Status.StartTime = corev1.PodRunning, &now
	for _, c := range []corev1.PodConditionType{corev1.PodScheduled, corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady} {
		setTrue(&p.Status, c, now)
	}
	p.Status.ContainerStatuses = nil
	for _, c := range p.Spec.Containers {
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, Ready: true, Started: new(true),
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}},
		})
	}
	return p
}

func setTrue(s *corev1.PodStatus, condition corev1.PodConditionType, now metav1.Time) {
	for i := range s.Conditions {
		if s.Conditions[i].Type == condition {
			s.Conditions[i].Status = corev1.ConditionTrue
			return
		}
	}
	s.Conditions = append(s.Conditions, corev1.PodCondition{Type: condition, Status: corev1.ConditionTrue, LastTransitionTime: now})
}
