module pprofgate.example/otlp

go 1.24
