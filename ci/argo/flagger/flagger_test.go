// SPDX-License-Identifier: Apache-2.0

// Package flagger runs the webhook of canary.yaml through Flagger's own load tester.
package flagger

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	v1beta1 "github.com/fluxcd/flagger/pkg/apis/flagger/v1beta1"
	"github.com/fluxcd/flagger/pkg/loadtester"
	"go.uber.org/zap"

	"pprofgate.invalid/ci/argo/manifests"
	"pprofgate.invalid/ci/argo/shop"
)

func hook(t *testing.T) v1beta1.CanaryWebhook {
	t.Helper()
	objects, err := manifests.Read("flagger/canary.yaml")
	if err != nil {
		t.Fatal(err)
	}
	canary := objects[0].(*v1beta1.Canary)
	analysis := canary.GetAnalysis()
	if analysis.Threshold != 1 || len(analysis.Webhooks) != 1 || analysis.Webhooks[0].Type != v1beta1.RolloutHook {
		t.Fatalf("expected one hook of a rollout, and no second chance, found %+v", analysis)
	}
	return analysis.Webhooks[0]
}

// ask posts what Flagger posts.
func ask(t *testing.T, metadata map[string]string) (int, string) {
	t.Helper()
	logger := zap.NewNop().Sugar()
	handler := loadtester.HandleNewTask(logger, loadtester.NewTaskRunner(logger, time.Minute), loadtester.NewAuthorizer(nil))
	server := httptest.NewServer(http.HandlerFunc(handler))
	defer server.Close()
	body, err := json.Marshal(v1beta1.CanaryWebhookPayload{
		Name: "shop", Namespace: "shop", Phase: v1beta1.CanaryPhaseProgressing, Metadata: metadata})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.Post(server.URL, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func TestWebhook(t *testing.T) {
	for _, row := range []struct {
		build  string
		status int
		says   string
	}{
		{shop.Good, http.StatusOK, ""},
		{shop.Slow, http.StatusInternalServerError, "main.priceRound"},
		{shop.Close, http.StatusInternalServerError, "INCONCLUSIVE"},
		{shop.Absent, http.StatusInternalServerError, "HTTP 404"},
	} {
		t.Run(row.build, func(t *testing.T) {
			builds := map[string]string{"shop-primary.shop:6060": shop.Stable, "shop-canary.shop:6060": row.build}
			shop.Use(t, func(host string) http.Handler { return shop.Serve(builds[host]) })
			t.Setenv("PATH", shop.Path(t))
			metadata := *hook(t).Metadata
			command := metadata["cmd"]
			for _, change := range [][2]string{{"--seconds 30", "--seconds " + shop.Seconds}, {"--max-time 10m", "--max-time " + shop.MaxTime}} {
				if !strings.Contains(command, change[0]) {
					t.Fatalf("'%s' is not in the command", change[0])
				}
				command = strings.Replace(command, change[0], change[1], 1)
			}
			metadata["cmd"] = command
			status, text := ask(t, metadata)
			if status != row.status || !strings.Contains(text, row.says) {
				t.Errorf("expected %d and '%s', found %d\n%s", row.status, row.says, status, text)
			}
		})
	}
}
