@echo off
rem Sets up .venv on the first run, then opens the window.
setlocal
cd /d "%~dp0.."
set PYTHON=py -3
where py >nul 2>nul || set PYTHON=python
%PYTHON% packaging\bootstrap.py run || exit /b 1
.venv\Scripts\python.exe -m minime_agent model install smollm2 --if-missing
.venv\Scripts\python.exe -m sidekicks %*
