// SPDX-License-Identifier: Apache-2.0

package rollouts

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/retry"

	"pprofgate.invalid/ci/argo/manifests"
	"pprofgate.invalid/ci/argo/shop"
)

// playReplicaSets makes pods ready as soon as they are wanted.
func (c *cluster) playReplicaSets(informer cache.SharedIndexInformer) {
	on(informer, func(seen *appsv1.ReplicaSet) {
		wanted := *seen.Spec.Replicas
		if seen.Status.AvailableReplicas == wanted && seen.Status.Replicas == wanted {
			return
		}
		sets := c.kube.AppsV1().ReplicaSets(seen.Namespace)
		err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
			set, err := sets.Get(context.Background(), seen.Name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			wanted := *set.Spec.Replicas
			set.Status = appsv1.ReplicaSetStatus{Replicas: wanted, FullyLabeledReplicas: wanted, ReadyReplicas: wanted,
				AvailableReplicas: wanted, ObservedGeneration: set.Generation}
			_, err = sets.UpdateStatus(context.Background(), set, metav1.UpdateOptions{})
			return err
		})
		if err != nil && !errors.IsNotFound(err) {
			c.t.Errorf("ReplicaSet '%s': %v", seen.Name, err)
		}
	})
}

// playKubelet runs each Job once, and tells its end by the conditions that the Job controller would set.
func (c *cluster) playKubelet(ctx context.Context, informer cache.SharedIndexInformer) {
	var begun sync.Map
	var running sync.WaitGroup
	c.t.Cleanup(running.Wait)
	path := shop.Path(c.t)
	on(informer, func(seen *batchv1.Job) {
		if _, again := begun.LoadOrStore(seen.UID, true); again {
			return
		}
		job := seen.DeepCopy()
		running.Add(1)
		go func() {
			defer running.Done()
			condition := batchv1.JobComplete
			if err := c.runPod(ctx, path, job); err != nil {
				condition = batchv1.JobFailed
				c.t.Logf("Job '%s': %v", job.Name, err)
			}
			job.ResourceVersion = "" // whatever became of it meanwhile
			job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{Type: condition,
				Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()})
			_, err := c.kube.BatchV1().Jobs(job.Namespace).UpdateStatus(context.Background(), job, metav1.UpdateOptions{})
			if err != nil && ctx.Err() == nil && !errors.IsNotFound(err) {
				c.t.Errorf("Job '%s': %v", job.Name, err)
			}
		}()
	})
}

// runPod runs the containers one after another, as long as the Job may take.
func (c *cluster) runPod(ctx context.Context, path string, job *batchv1.Job) error {
	if *job.Spec.BackoffLimit != 0 || job.Spec.Template.Spec.RestartPolicy != corev1.RestartPolicyNever {
		return fmt.Errorf("it would be run again, which the test does not play")
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(*job.Spec.ActiveDeadlineSeconds)*time.Second)
	defer cancel()
	pod := job.Spec.Template.Spec
	volumes := map[string]string{}
	for _, volume := range pod.Volumes {
		folder, err := c.volume(volume)
		if err != nil {
			return err
		}
		volumes[volume.Name] = folder
	}
	for _, container := range append(append([]corev1.Container{}, pod.InitContainers...), pod.Containers...) {
		if err := c.runContainer(ctx, path, container, volumes); err != nil {
			return fmt.Errorf("container '%s': %w", container.Name, err)
		}
	}
	return nil
}

func (c *cluster) volume(volume corev1.Volume) (string, error) {
	if volume.PersistentVolumeClaim != nil {
		if volume.PersistentVolumeClaim.ClaimName != "pprofgate-results" {
			return "", fmt.Errorf("there is no volume claim '%s'", volume.PersistentVolumeClaim.ClaimName)
		}
		return c.results, nil
	}
	folder, err := os.MkdirTemp(c.t.TempDir(), "volume")
	if err != nil {
		return "", err
	}
	if volume.ConfigMap != nil {
		if volume.ConfigMap.Name != "pprofgate-rules" {
			return "", fmt.Errorf("there is no config map '%s'", volume.ConfigMap.Name)
		}
		text, err := os.ReadFile(filepath.Join(manifests.Root(), "job", "rules.yml"))
		if err != nil {
			return "", err
		}
		return folder, os.WriteFile(filepath.Join(folder, "pprofgate.yml"), text, 0o600)
	}
	return folder, nil
}

// entrypoint is what an image runs where its container names no command.
func entrypoint(container corev1.Container) []string {
	if len(container.Command) > 0 {
		return container.Command
	}
	if strings.HasPrefix(container.Image, "pprofgate:") {
		return []string{"pprofgate"}
	}
	return []string{"false"}
}

// runContainer runs the command as a process: a path below a mount is one below the volume's folder.
func (c *cluster) runContainer(ctx context.Context, path string, container corev1.Container, volumes map[string]string) error {
	mapped := func(text string) string {
		for _, mount := range container.VolumeMounts {
			at := regexp.MustCompile(`(^|[\s=>])` + regexp.QuoteMeta(mount.MountPath) + `(/|\s|$)`)
			text = at.ReplaceAllString(text, "${1}"+volumes[mount.Name]+"${2}")
		}
		return text
	}
	var words []string
	for _, word := range append(append([]string{}, entrypoint(container)...), container.Args...) {
		if strings.Contains(word, "{{") {
			return fmt.Errorf("an argument was left open: %s", word)
		}
		word = strings.Replace(mapped(word), "http://pushgateway:9091", c.gateway, 1)
		if word == "/bin/busybox" { // where the image has it
			found, err := exec.LookPath("busybox")
			if err != nil {
				return err
			}
			word = found
		}
		words = append(words, word)
	}
	program := words[0]
	if !strings.Contains(program, "/") {
		for _, folder := range filepath.SplitList(path) {
			if _, err := os.Stat(filepath.Join(folder, program)); err == nil {
				program = filepath.Join(folder, program)
				break
			}
		}
	}
	command := exec.CommandContext(ctx, program, words[1:]...)
	command.Dir = mapped(container.WorkingDir)
	command.Env = []string{"PATH=" + path, "http_proxy=" + os.Getenv("http_proxy")}
	said, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, said)
	}
	return nil
}

// route answers for the names of services, as their selectors say.
func (c *cluster) route(host string) http.Handler {
	name, port, _ := strings.Cut(host, ":")
	switch host {
	case "pprofgate-results:80":
		return http.FileServer(http.Dir(c.results))
	case "prometheus:9090":
		return c.pushed
	}
	service, err := c.kube.CoreV1().Services(namespace).Get(context.Background(), name, metav1.GetOptions{})
	if err != nil {
		return nil
	}
	served := false
	for _, known := range service.Spec.Ports {
		served = served || fmt.Sprint(known.Port) == port
	}
	sets, err := c.kube.AppsV1().ReplicaSets(namespace).List(context.Background(), metav1.ListOptions{})
	if err != nil || !served {
		return nil
	}
	selector := labels.SelectorFromSet(service.Spec.Selector)
	for _, set := range sets.Items {
		if *set.Spec.Replicas > 0 && selector.Matches(labels.Set(set.Spec.Template.Labels)) {
			return shop.Serve(set.Spec.Template.Spec.Containers[0].Image)
		}
	}
	return nil
}
