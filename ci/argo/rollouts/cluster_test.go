// SPDX-License-Identifier: Apache-2.0

// Package rollouts runs the manifests of ci/argo through the controllers of Argo Rollouts. The cluster around them is
// played: a store of objects (client-go's fake one), ReplicaSets whose pods are ready at once, and a kubelet that runs
// the containers of Jobs as processes.
package rollouts

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"reflect"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/argoproj/argo-rollouts/analysis"
	"github.com/argoproj/argo-rollouts/controller/metrics"
	"github.com/argoproj/argo-rollouts/experiments"
	"github.com/argoproj/argo-rollouts/pkg/apis/rollouts/v1alpha1"
	argofake "github.com/argoproj/argo-rollouts/pkg/client/clientset/versioned/fake"
	informers "github.com/argoproj/argo-rollouts/pkg/client/informers/externalversions"
	"github.com/argoproj/argo-rollouts/rollout"
	ingressutil "github.com/argoproj/argo-rollouts/utils/ingress"
	istioutil "github.com/argoproj/argo-rollouts/utils/istio"
	"github.com/argoproj/argo-rollouts/utils/queue"
	"github.com/argoproj/argo-rollouts/utils/record"
	"github.com/argoproj/argo-rollouts/utils/tolerantinformer"
	log "github.com/sirupsen/logrus"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	kubeinformers "k8s.io/client-go/informers"
	kubefake "k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

const namespace = "shop"

// noResolver is of rollouts that have their pods' template in themselves.
type noResolver struct{}

func (noResolver) Resolve(*v1alpha1.Rollout) error { return nil }

// cluster is what a test has: clients, and folders in the place of volumes.
type cluster struct {
	t                    *testing.T
	kube                 *kubefake.Clientset
	argo                 *argofake.Clientset
	templates            dynamic.Interface // those of analyses
	results              string            // the volume that verdicts are published in
	pushed               *gateway          // what was pushed to it
	gateway              string            // the Pushgateway's address, which a busybox does not ask by a proxy
	number               atomic.Int64
	jobs, runs, rollouts cache.SharedIndexInformer
}

// start runs the three controllers until the test ends.
func start(t *testing.T) *cluster {
	t.Helper()
	log.SetOutput(io.Discard)
	if os.Getenv("ARGO_LOG") != "" {
		log.SetOutput(os.Stderr)
	}
	c := &cluster{t: t, kube: kubefake.NewSimpleClientset(), argo: argofake.NewSimpleClientset(),
		results: t.TempDir(), pushed: &gateway{}}
	c.countVersions(&c.kube.Fake, c.kube.Tracker())
	c.countVersions(&c.argo.Fake, c.argo.Tracker())

	argo := informers.NewSharedInformerFactory(c.argo, 0)
	kube := kubeinformers.NewSharedInformerFactory(c.kube, 0)
	own := argo.Argoproj().V1alpha1()
	virtualServices, destinationRules := istioutil.GetIstioVirtualServiceGVR(), istioutil.GetIstioDestinationRuleGVR()
	dynamicClient := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(kruntime.NewScheme(),
		map[schema.GroupVersionResource]string{virtualServices: "VirtualServiceList", destinationRules: "DestinationRuleList",
			v1alpha1.AnalysisTemplateGVR: "AnalysisTemplateList", v1alpha1.ClusterAnalysisTemplateGVR: "ClusterAnalysisTemplateList"})
	c.templates = dynamicClient
	c.jobs, c.runs = kube.Batch().V1().Jobs().Informer(), own.AnalysisRuns().Informer()
	rollouts := newUntyped(c.argo)
	c.rollouts = rollouts.informer
	mesh := dynamicinformer.NewDynamicSharedInformerFactory(dynamicClient, 0)
	templates := tolerantinformer.NewTolerantAnalysisTemplateInformer(mesh)
	clusterTemplates := tolerantinformer.NewTolerantClusterAnalysisTemplateInformer(mesh)
	ingresses, err := ingressutil.NewIngressWrapper(ingressutil.IngressModeNetworking, c.kube, kube)
	if err != nil {
		t.Fatal(err)
	}
	newQueue := func(name string) workqueue.RateLimitingInterface {
		return workqueue.NewNamedRateLimitingQueue(queue.DefaultArgoRolloutsRateLimiter(), name)
	}
	rolloutQueue, experimentQueue, analysisQueue := newQueue("Rollouts"), newQueue("Experiments"), newQueue("AnalysisRuns")
	measures := metrics.NewMetricsServer(metrics.ServerConfig{K8SRequestProvider: &metrics.K8sRequestsCountProvider{}})
	recorder := record.NewFakeEventRecorder()

	controllers := []interface {
		Run(ctx context.Context, threadiness int) error
	}{
		rollout.NewController(rollout.ControllerConfig{
			Namespace: namespace, KubeClientSet: c.kube, ArgoProjClientset: c.argo, DynamicClientSet: dynamicClient,
			RefResolver: noResolver{}, ExperimentInformer: own.Experiments(), AnalysisRunInformer: own.AnalysisRuns(),
			AnalysisTemplateInformer: templates, ClusterAnalysisTemplateInformer: clusterTemplates,
			ReplicaSetInformer: kube.Apps().V1().ReplicaSets(), ServicesInformer: kube.Core().V1().Services(),
			IngressWrapper: ingresses, RolloutsInformer: tolerantinformer.NewTolerantRolloutInformer(rollouts), IstioPrimaryDynamicClient: dynamicClient,
			IstioVirtualServiceInformer:  mesh.ForResource(virtualServices).Informer(),
			IstioDestinationRuleInformer: mesh.ForResource(destinationRules).Informer(),
			ResyncPeriod:                 time.Minute, RolloutWorkQueue: rolloutQueue, ServiceWorkQueue: newQueue("Services"),
			IngressWorkQueue: newQueue("Ingresses"), MetricsServer: measures, Recorder: recorder}),
		experiments.NewController(experiments.ControllerConfig{
			KubeClientSet: c.kube, ArgoProjClientset: c.argo, ReplicaSetInformer: kube.Apps().V1().ReplicaSets(),
			ExperimentsInformer: own.Experiments(), AnalysisRunInformer: own.AnalysisRuns(),
			AnalysisTemplateInformer: templates, ClusterAnalysisTemplateInformer: clusterTemplates,
			ServiceInformer: kube.Core().V1().Services(), ResyncPeriod: time.Minute, RolloutWorkQueue: rolloutQueue,
			ExperimentWorkQueue: experimentQueue, MetricsServer: measures, Recorder: recorder}),
		analysis.NewController(analysis.ControllerConfig{
			KubeClientSet: c.kube, ArgoProjClientset: c.argo, AnalysisRunInformer: own.AnalysisRuns(),
			JobInformer: kube.Batch().V1().Jobs(), ResyncPeriod: time.Minute, AnalysisRunWorkQueue: analysisQueue,
			MetricsServer: measures, Recorder: recorder}),
	}
	server := httptest.NewServer(c.pushed)
	t.Cleanup(server.Close)
	c.gateway = server.URL
	ctx, cancel := context.WithCancel(context.Background())
	c.playReplicaSets(kube.Apps().V1().ReplicaSets().Informer())
	c.playKubelet(ctx, kube.Batch().V1().Jobs().Informer())
	argo.Start(ctx.Done())
	go rollouts.informer.Run(ctx.Done())
	kube.Start(ctx.Done())
	mesh.Start(ctx.Done())
	argo.WaitForCacheSync(ctx.Done())
	kube.WaitForCacheSync(ctx.Done())
	mesh.WaitForCacheSync(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), rollouts.informer.HasSynced)
	for _, controller := range controllers {
		go func() { _ = controller.Run(ctx, 1) }()
	}
	t.Cleanup(func() {
		cancel()
		for _, queue := range []workqueue.RateLimitingInterface{rolloutQueue, experimentQueue, analysisQueue} {
			queue.ShutDown()
		}
	})
	return c
}

// countVersions does what the API server does and the fake store does not: identities, generations, versions.
func (c *cluster) countVersions(fake *k8stesting.Fake, tracker k8stesting.ObjectTracker) {
	next := func(object kruntime.Object) metav1.Object {
		accessor := nameOf(object)
		accessor.SetResourceVersion(strconv.FormatInt(c.number.Add(1), 10))
		return accessor
	}
	fake.PrependReactor("create", "*", func(action k8stesting.Action) (bool, kruntime.Object, error) {
		object := next(action.(k8stesting.CreateAction).GetObject())
		object.SetUID(types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", c.number.Add(1))))
		object.SetCreationTimestamp(metav1.Now())
		object.SetGeneration(1)
		return false, nil, nil
	})
	fake.PrependReactor("update", "*", func(action k8stesting.Action) (bool, kruntime.Object, error) {
		changed := action.(k8stesting.UpdateAction).GetObject()
		old, err := tracker.Get(action.GetResource(), action.GetNamespace(), nameOf(changed).GetName())
		if err != nil {
			return true, nil, err
		}
		if seen := nameOf(changed).GetResourceVersion(); seen != "" && seen != nameOf(old).GetResourceVersion() {
			return true, nil, errors.NewConflict(action.GetResource().GroupResource(), nameOf(changed).GetName(),
				fmt.Errorf("the object has been modified"))
		}
		object := next(changed)
		if !reflect.DeepEqual(specOf(old), specOf(changed)) {
			object.SetGeneration(object.GetGeneration() + 1)
		}
		return false, nil, nil
	})
	apply := k8stesting.ObjectReaction(tracker)
	fake.PrependReactor("patch", "*", func(action k8stesting.Action) (bool, kruntime.Object, error) {
		c.settle()
		handled, object, err := apply(action)
		if err == nil && object != nil {
			next(object)
			err = tracker.Update(action.GetResource(), object, action.GetNamespace())
		}
		return handled, object, err
	})
}

func nameOf(object kruntime.Object) metav1.Object {
	accessor, err := meta.Accessor(object)
	if err != nil {
		panic(err)
	}
	return accessor
}

// settle waits until the controllers know of all Jobs and analyses that there are: before one tells that it has made
// one, since it takes one that it does not find for lost. A cluster's watches are that fast.
func (c *cluster) settle() {
	known := func(tracker k8stesting.ObjectTracker, kind schema.GroupVersionKind, informer cache.SharedIndexInformer) bool {
		plural, _ := meta.UnsafeGuessKindToResource(kind)
		list, err := tracker.List(plural, kind, namespace)
		if err != nil {
			panic(err)
		}
		items, err := meta.ExtractList(list)
		if err != nil {
			panic(err)
		}
		for _, item := range items {
			if _, found, _ := informer.GetStore().GetByKey(namespace + "/" + nameOf(item).GetName()); !found {
				return false
			}
		}
		return true
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if known(c.kube.Tracker(), batchv1.SchemeGroupVersion.WithKind("Job"), c.jobs) &&
			known(c.argo.Tracker(), v1alpha1.SchemeGroupVersion.WithKind("AnalysisRun"), c.runs) {
			return
		}
	}
}

func specOf(object kruntime.Object) any {
	fields, err := kruntime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		panic(err)
	}
	return fields["spec"]
}

// on calls `react` with every state of the informer's objects.
func on[T any](informer cache.SharedIndexInformer, react func(T)) {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { react(object.(T)) },
		UpdateFunc: func(_, object any) { react(object.(T)) },
	})
	if err != nil {
		panic(err)
	}
}
