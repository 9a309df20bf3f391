module pprofgate.dev/trend

go 1.19
