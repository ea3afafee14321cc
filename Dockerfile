# docker build -t linclass . && docker run --rm -v "$PWD:/study" linclass run study.yaml
FROM python:3.13-slim
COPY . /src
RUN pip install --no-cache-dir -c /src/constraints.txt '/src[study]' && rm -rf /src
WORKDIR /study
ENV HOME=/tmp
ENTRYPOINT ["linclass"]
